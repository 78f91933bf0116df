! quire_mpi - exact sums over the ranks of MPI: the same bits for any number of ranks and any distribution.
!
!     use quire_mpi
!     s = quire_mpi_sum(x, comm)       ! x: this rank's part, of rank 1 to 3, of any size
!                                      ! comm: MPI_COMM_WORLD, comm%MPI_VAL
!
! quire_mpi_sum, quire_mpi_norm2, quire_mpi_mean (x, comm [, status]), quire_mpi_dot (x, y, comm [, status]) and
! quire_mpi_variance (x [, sample], comm [, status]; without sample: comm=comm) are collective and give all ranks the
! same result, or the same status and NaN. So are these, which with a status leave all as it was, without one give NaN:
!     call quire_mpi_sum_fields(x, sums, comm [, status])       sums(f) is that of x(:, f) over all ranks; one Allreduce
!     call quire_mpi_sum_elements(x, sums, comm [, status])     sums(i) is that of all ranks' x(i); all x have one size
!     call quire_mpi_merge(accumulator, comm [, status])        a quire_accumulator becomes that of all ranks
!
! SPDX-License-Identifier: MIT
module quire_mpi
  use quire_mpi_core, only: real32, real64, c_int, c_size_t, c_intptr_t, c_loc, quire_reduction, QUIRE_F32, QUIRE_F64, &
    c_fields, c_elements, c_accumulators
  use quire, only: quire_accumulator
  use quire_mpi_sum_real32
  use quire_mpi_sum_real64
  use quire_mpi_dot_real32
  use quire_mpi_dot_real64
  use quire_mpi_norm2_real32
  use quire_mpi_norm2_real64
  use quire_mpi_mean_real32
  use quire_mpi_mean_real64
  use quire_mpi_variance_real32
  use quire_mpi_variance_real64
  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_quiet_nan
  implicit none
  private
  public :: quire_mpi_sum, quire_mpi_dot, quire_mpi_norm2, quire_mpi_mean, quire_mpi_variance
  public :: quire_mpi_sum_fields, quire_mpi_sum_elements, quire_mpi_merge

  interface quire_mpi_sum_fields
    module procedure fields32, fields64
  end interface
  interface quire_mpi_sum_elements
    module procedure elements32, elements64
  end interface

contains

  ! A rank whose sums are too few has an operation that is none: all get a status.
  subroutine fields32(x, sums, comm, status)
    real(real32), intent(in), contiguous, target :: x(:, :)
    real(real32), intent(inout), contiguous, target :: sums(:)
    integer, intent(in) :: comm
    integer, intent(out), optional :: status
    type(quire_reduction) :: what
    integer :: code
    what%type = QUIRE_F32
    what%operation = merge(1_c_int, -1_c_int, size(sums, kind=c_size_t) >= size(x, 2, c_size_t))
    code = c_fields(what, size(x, 2, c_size_t), size(x, 1, c_size_t), size(x, 1, c_intptr_t), c_loc(x), c_loc(sums), &
                    int(comm, c_int))
    if (present(status)) status = code
    if (code /= 0 .and. .not. present(status)) sums = ieee_value(sums, ieee_quiet_nan)
  end subroutine

  subroutine fields64(x, sums, comm, status)
    real(real64), intent(in), contiguous, target :: x(:, :)
    real(real64), intent(inout), contiguous, target :: sums(:)
    integer, intent(in) :: comm
    integer, intent(out), optional :: status
    type(quire_reduction) :: what
    integer :: code
    what%type = QUIRE_F64
    what%operation = merge(1_c_int, -1_c_int, size(sums, kind=c_size_t) >= size(x, 2, c_size_t))
    code = c_fields(what, size(x, 2, c_size_t), size(x, 1, c_size_t), size(x, 1, c_intptr_t), c_loc(x), c_loc(sums), &
                    int(comm, c_int))
    if (present(status)) status = code
    if (code /= 0 .and. .not. present(status)) sums = ieee_value(sums, ieee_quiet_nan)
  end subroutine

  subroutine elements32(x, sums, comm, status)
    real(real32), intent(in), contiguous, target :: x(:)
    real(real32), intent(inout), contiguous, target :: sums(:)
    integer, intent(in) :: comm
    integer, intent(out), optional :: status
    type(quire_reduction) :: what
    integer :: code
    what%type = QUIRE_F32
    what%operation = merge(1_c_int, -1_c_int, size(sums, kind=c_size_t) >= size(x, kind=c_size_t))
    code = c_elements(what, size(x, kind=c_size_t), c_loc(x), c_loc(sums), int(comm, c_int))
    if (present(status)) status = code
    if (code /= 0 .and. .not. present(status)) sums = ieee_value(sums, ieee_quiet_nan)
  end subroutine

  subroutine elements64(x, sums, comm, status)
    real(real64), intent(in), contiguous, target :: x(:)
    real(real64), intent(inout), contiguous, target :: sums(:)
    integer, intent(in) :: comm
    integer, intent(out), optional :: status
    type(quire_reduction) :: what
    integer :: code
    what%type = QUIRE_F64
    what%operation = merge(1_c_int, -1_c_int, size(sums, kind=c_size_t) >= size(x, kind=c_size_t))
    code = c_elements(what, size(x, kind=c_size_t), c_loc(x), c_loc(sums), int(comm, c_int))
    if (present(status)) status = code
    if (code /= 0 .and. .not. present(status)) sums = ieee_value(sums, ieee_quiet_nan)
  end subroutine

  subroutine quire_mpi_merge(accumulator, comm, status)
    type(quire_accumulator), intent(inout) :: accumulator
    integer, intent(in) :: comm
    integer, intent(out), optional :: status
    integer :: code
    code = c_accumulators(1_c_int, accumulator%words, int(comm, c_int))
    call accumulator%answer(code, status)
  end subroutine

end module
