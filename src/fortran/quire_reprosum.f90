! quire_reprosum - calls with the interfaces that climate models have for their reproducible sums, so that a model changes one
! use statement: shr_reprosum_calc of CESM (module shr_reprosum_mod) and reproducing_sum of MOM6 (module MOM_coms). Only the
! interfaces are theirs. What differs, always for the better of the sum:
!   - sums are exact and rounded once; there are no levels, no bounds on magnitudes, no overflow, one Allreduce
!   - NaN and infinities are sums like others (CESM: as with allow_infnan), and are no error
!
! CESM: arguments that steer the method are there and not looked at (ddpdd_sum, arr_gbl_max, arr_max_levels, gbl_max_nsummands,
! gbl_count, repro_sum_validate, allow_infnan). Those that report: arr_gbl_max_out, arr_max_levels_out and
! gbl_max_nsummands_out are 0, rel_diff is 0, repro_sum_stats(1) is raised by one. Without commid: MPI_COMM_WORLD.
!
! MOM6: the communicator is MPI_COMM_WORLD unless quire_reprosum_communicator(comm) names another. reproducing and
! overflow_check are not looked at; err is 0. EFP_type is a quire_accumulator. unscale is not there: scale by a power of two
! after the sum.
!
! SPDX-License-Identifier: MIT
module quire_reprosum
  use quire_mpi_core, only: real64, c_int, c_world
  use quire, only: EFP_type => quire_accumulator
  use quire_mpi, only: quire_mpi_sum_fields, quire_mpi_merge
  implicit none
  private
  public :: shr_reprosum_calc, reproducing_sum, EFP_type, quire_reprosum_communicator

  interface reproducing_sum
    module procedure reproducing_sum_2d, reproducing_sum_3d
  end interface

  integer, save :: communicator
  logical, save :: named = .false.

contains

  subroutine quire_reprosum_communicator(comm)
    integer, intent(in) :: comm
    communicator = comm
    named = .true.
  end subroutine

  function the_communicator() result(comm)
    integer :: comm
    comm = c_world()
    if (named) comm = communicator
  end function

  ! arr(1:nsummands, f) over all ranks to arr_gsum(f). nsummands may differ from rank to rank.
  subroutine shr_reprosum_calc(arr, arr_gsum, nsummands, dsummands, nflds, allow_infnan, ddpdd_sum, arr_gbl_max, &
                               arr_gbl_max_out, arr_max_levels, arr_max_levels_out, gbl_max_nsummands, &
                               gbl_max_nsummands_out, gbl_count, repro_sum_validate, repro_sum_stats, rel_diff, commid)
    integer, intent(in) :: nsummands, dsummands, nflds
    real(real64), intent(in) :: arr(dsummands, nflds)
    real(real64), intent(out) :: arr_gsum(nflds)
    logical, intent(in), optional :: allow_infnan, ddpdd_sum, repro_sum_validate
    real(real64), intent(in), optional :: arr_gbl_max(nflds)
    real(real64), intent(out), optional :: arr_gbl_max_out(nflds), rel_diff(2, nflds)
    integer, intent(in), optional :: arr_max_levels(nflds), gbl_max_nsummands, gbl_count, commid
    integer, intent(out), optional :: arr_max_levels_out(nflds), gbl_max_nsummands_out
    integer, intent(inout), optional :: repro_sum_stats(:)
    integer :: comm
    comm = c_world()
    if (present(commid)) comm = commid
    arr_gsum = 0
    call quire_mpi_sum_fields(arr(1:nsummands, :), arr_gsum, comm)
    if (present(arr_gbl_max_out)) arr_gbl_max_out = 0
    if (present(arr_max_levels_out)) arr_max_levels_out = 0
    if (present(gbl_max_nsummands_out)) gbl_max_nsummands_out = 0
    if (present(rel_diff)) rel_diff = 0
    if (present(repro_sum_stats)) repro_sum_stats(1) = repro_sum_stats(1) + 1
  end subroutine

  function reproducing_sum_2d(array, isr, ier, jsr, jer, EFP_sum, reproducing, overflow_check, err, only_on_PE) result(sum)
    real(real64), intent(in) :: array(:, :)
    integer, intent(in), optional :: isr, ier, jsr, jer
    type(EFP_type), intent(out), optional :: EFP_sum
    logical, intent(in), optional :: reproducing, overflow_check, only_on_PE
    integer, intent(out), optional :: err
    real(real64) :: sum
    type(EFP_type) :: total
    call add_layer(total, array, isr, ier, jsr, jer)
    call over_ranks(total, only_on_PE)
    sum = total%sum()
    if (present(EFP_sum)) EFP_sum = total
    if (present(err)) err = 0
  end function

  function reproducing_sum_3d(array, isr, ier, jsr, jer, sums, EFP_sum, EFP_lay_sums, err, only_on_PE) result(sum)
    real(real64), intent(in) :: array(:, :, :)
    integer, intent(in), optional :: isr, ier, jsr, jer
    real(real64), intent(out), optional :: sums(:)
    type(EFP_type), intent(out), optional :: EFP_sum, EFP_lay_sums(:)
    integer, intent(out), optional :: err
    logical, intent(in), optional :: only_on_PE
    real(real64) :: sum
    type(EFP_type) :: total, layer
    integer :: k
    do k = 1, size(array, 3)
      layer%words = 0
      call add_layer(layer, array(:, :, k), isr, ier, jsr, jer)
      if (present(sums) .or. present(EFP_lay_sums)) call over_ranks(layer, only_on_PE)
      if (present(sums)) sums(k) = layer%sum()
      if (present(EFP_lay_sums)) EFP_lay_sums(k) = layer
      call total%merge(layer)
    end do
    if (.not. (present(sums) .or. present(EFP_lay_sums))) call over_ranks(total, only_on_PE)
    sum = total%sum()
    if (present(EFP_sum)) EFP_sum = total
    if (present(err)) err = 0
  end function

  subroutine over_ranks(total, only_on_PE)
    type(EFP_type), intent(inout) :: total
    logical, intent(in), optional :: only_on_PE
    if (present(only_on_PE)) then
      if (only_on_PE) return
    end if
    call quire_mpi_merge(total, the_communicator())
  end subroutine

  ! The elements of isr to ier, jsr to jer, column by column.
  subroutine add_layer(into, array, isr, ier, jsr, jer)
    type(EFP_type), intent(inout) :: into
    real(real64), intent(in) :: array(:, :)
    integer, intent(in), optional :: isr, ier, jsr, jer
    integer :: is, ie, js, je, j
    is = 1
    ie = size(array, 1)
    js = 1
    je = size(array, 2)
    if (present(isr)) is = isr
    if (present(ier)) ie = ier
    if (present(jsr)) js = jsr
    if (present(jer)) je = jer
    do j = js, je
      call into%add(array(is:ie, j))
    end do
  end subroutine

end module
