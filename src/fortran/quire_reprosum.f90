! quire_reprosum - calls with the interfaces that climate models have for their reproducible sums, so that a model
! changes one use statement: shr_reprosum_calc of CESM (module shr_reprosum_mod) and reproducing_sum of MOM6 (module
! MOM_coms). Only the interfaces are theirs. What differs, always for the better of the sum:
!   - sums are exact and rounded once; there are no levels, no bounds on magnitudes, no overflow. shr_reprosum_calc
!     takes one Allreduce for 256 fields, an EFP_type one, a list of EFP_type two
!   - NaN and infinities are sums like others (CESM: as with allow_infnan), and are no error
!
! CESM: arguments that steer the method are there and not looked at (ddpdd_sum, arr_gbl_max, arr_max_levels,
! gbl_max_nsummands, gbl_count, repro_sum_validate, allow_infnan). Those that report: arr_gbl_max_out,
! arr_max_levels_out and gbl_max_nsummands_out are 0, rel_diff is 0, repro_sum_stats(1) is raised by one. Without
! commid: MPI_COMM_WORLD.
!
! MOM6: the communicator is MPI_COMM_WORLD unless quire_reprosum_communicator(comm) names another. reproducing and
! overflow_check are not looked at; err is 0, errors are false. EFP_type is a quire_accumulator. unscale multiplies what
! an EFP_type holds, exactly, and the real results, which are in the units of array, do not change with it: they are the
! sums of array, rounded once. (MOM6 divides them by unscale again. Where that is 0 all results are 0, as they are
! there.) A failure of MPI makes results NaN, err 1 and errors true. Besides there is what MOM6 does with such sums:
! reproducing_sum_EFP, EFP_to_real, real_to_EFP, EFP_plus and +, EFP_minus and -, EFP_real_diff, EFP_sum_across_PEs and
! its list, query_EFP_overflow_error (false), reset_EFP_overflow_error.
!
! SPDX-License-Identifier: MIT
module quire_reprosum
  use, intrinsic :: iso_c_binding, only: c_int64_t
  use quire_mpi_core, only: real64, c_int, c_world, c_accumulators
  use quire, only: EFP_type => quire_accumulator
  use quire_mpi, only: quire_mpi_sum_fields, quire_mpi_merge
  implicit none
  private
  public :: shr_reprosum_calc, reproducing_sum, EFP_type, quire_reprosum_communicator
  public :: reproducing_sum_EFP, EFP_to_real, real_to_EFP, EFP_plus, EFP_minus, EFP_real_diff
  public :: EFP_sum_across_PEs, EFP_list_sum_across_PEs, query_EFP_overflow_error, reset_EFP_overflow_error
  public :: operator(+), operator(-), assignment(=)

  interface reproducing_sum
    module procedure reproducing_sum_2d, reproducing_sum_3d
  end interface
  interface EFP_sum_across_PEs
    module procedure EFP_list_sum_across_PEs, EFP_value_sum_across_PEs
  end interface
  interface operator(+)
    module procedure EFP_plus
  end interface
  interface operator(-)
    module procedure EFP_minus
  end interface
  interface assignment(=)
    module procedure EFP_assign
  end interface

  ! Where the words of an accumulator are that are no limbs (docs/accumulator.md).
  integer, parameter :: last_limb = 135, other = 137, positive_infinity = 139, negative_infinity = 140

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

  function reproducing_sum_2d(array, isr, ier, jsr, jer, EFP_sum, reproducing, overflow_check, err, only_on_PE, &
      unscale) result(sum)
    real(real64), intent(in) :: array(:, :)
    integer, intent(in), optional :: isr, ier, jsr, jer
    type(EFP_type), intent(out), optional :: EFP_sum
    logical, intent(in), optional :: reproducing, overflow_check, only_on_PE
    integer, intent(out), optional :: err
    real(real64), intent(in), optional :: unscale
    real(real64) :: sum
    type(EFP_type) :: total
    integer :: code
    call add_layer(total, array, isr, ier, jsr, jer)
    call over_ranks(total, only_on_PE, code)
    sum = real_sum(total, unscale)
    if (present(EFP_sum)) EFP_sum = total
    if (present(EFP_sum) .and. scales(unscale)) &
      EFP_sum = reproducing_sum_EFP(array, isr, ier, jsr, jer, only_on_PE=only_on_PE, unscale=unscale)
    if (present(err)) err = code
  end function

  function reproducing_sum_3d(array, isr, ier, jsr, jer, sums, EFP_sum, EFP_lay_sums, err, only_on_PE, unscale) &
      result(sum)
    real(real64), intent(in) :: array(:, :, :)
    integer, intent(in), optional :: isr, ier, jsr, jer
    real(real64), intent(out), optional :: sums(:)
    type(EFP_type), intent(out), optional :: EFP_sum, EFP_lay_sums(:)
    integer, intent(out), optional :: err
    logical, intent(in), optional :: only_on_PE
    real(real64), intent(in), optional :: unscale
    real(real64) :: sum
    type(EFP_type) :: layers(size(array, 3)), total
    integer :: k, code, again
    do k = 1, size(array, 3)
      call add_layer(layers(k), array(:, :, k), isr, ier, jsr, jer)
    end do
    call layers_over_ranks(layers, total, present(sums) .or. present(EFP_lay_sums), only_on_PE, code)
    sum = real_sum(total, unscale)
    do k = 1, size(array, 3)
      if (present(sums)) sums(k) = real_sum(layers(k), unscale)
    end do
    if (scales(unscale) .and. (present(EFP_sum) .or. present(EFP_lay_sums))) then
      layers = EFP_type()
      total = EFP_type()
      do k = 1, size(array, 3)
        call add_layer(layers(k), array(:, :, k), isr, ier, jsr, jer, unscale)
      end do
      call layers_over_ranks(layers, total, present(EFP_lay_sums), only_on_PE, again)
      code = max(code, again)
    end if
    if (present(EFP_sum)) EFP_sum = total
    do k = 1, size(array, 3)
      if (present(EFP_lay_sums)) EFP_lay_sums(k) = layers(k)
    end do
    if (present(err)) err = code
  end function

  function reproducing_sum_EFP(array, isr, ier, jsr, jer, overflow_check, err, only_on_PE, unscale) result(total)
    real(real64), intent(in) :: array(:, :)
    integer, intent(in), optional :: isr, ier, jsr, jer
    logical, intent(in), optional :: overflow_check, only_on_PE
    integer, intent(out), optional :: err
    real(real64), intent(in), optional :: unscale
    type(EFP_type) :: total
    integer :: code
    call add_layer(total, array, isr, ier, jsr, jer, unscale)
    call over_ranks(total, only_on_PE, code)
    if (present(err)) err = code
  end function

  ! Whether sums are multiplied by anything.
  logical function scales(unscale)
    real(real64), intent(in), optional :: unscale
    scales = present(unscale)
    if (scales) scales = abs(unscale - 1) > 0 .or. .not. unscale <= 1
  end function

  ! In the units of array.
  function real_sum(total, unscale) result(sum)
    type(EFP_type), intent(in) :: total
    real(real64), intent(in), optional :: unscale
    real(real64) :: sum
    sum = total%sum()
    if (present(unscale)) then
      if (.not. abs(unscale) > 0) sum = 0
    end if
  end function

  ! The layers' total; the layers themselves become those of all ranks if each is wanted.
  subroutine layers_over_ranks(layers, total, each, only_on_PE, code)
    type(EFP_type), intent(inout) :: layers(:), total
    logical, intent(in) :: each
    logical, intent(in), optional :: only_on_PE
    integer, intent(out) :: code
    logical :: alone, errors(size(layers))
    integer :: k
    alone = .false.
    errors = .false.
    if (present(only_on_PE)) alone = only_on_PE
    if (each .and. .not. alone) call EFP_list_sum_across_PEs(layers, size(layers), errors)
    code = merge(1, 0, any(errors))
    do k = 1, size(layers)
      call total%merge(layers(k))
    end do
    if (.not. each) call over_ranks(total, only_on_PE, code)
  end subroutine

  ! code: 1 for a failure of MPI, which makes total NaN, else 0.
  subroutine over_ranks(total, only_on_PE, code)
    type(EFP_type), intent(inout) :: total
    logical, intent(in), optional :: only_on_PE
    integer, intent(out) :: code
    logical :: error
    code = 0
    if (present(only_on_PE)) then
      if (only_on_PE) return
    end if
    call EFP_value_sum_across_PEs(total, error)
    code = merge(1, 0, error)
  end subroutine

  ! The elements of isr to ier, jsr to jer, column by column; multiplied by unscale.
  subroutine add_layer(into, array, isr, ier, jsr, jer, unscale)
    type(EFP_type), intent(inout) :: into
    real(real64), intent(in) :: array(:, :)
    integer, intent(in), optional :: isr, ier, jsr, jer
    real(real64), intent(in), optional :: unscale
    real(real64), allocatable :: factors(:)
    integer :: is, ie, js, je, j
    is = 1
    ie = size(array, 1)
    js = 1
    je = size(array, 2)
    if (present(isr)) is = isr
    if (present(ier)) ie = ier
    if (present(jsr)) js = jsr
    if (present(jer)) je = jer
    if (.not. scales(unscale)) then
      do j = js, je
        call into%add(array(is:ie, j))
      end do
      return
    end if
    allocate (factors(max(0, ie - is + 1)), source=unscale)
    do j = js, je
      call into%add_products(array(is:ie, j), factors)
    end do
  end subroutine

  ! --------------------------------------------------------------------------------------------- sums of type EFP_type

  function EFP_to_real(EFP1) result(sum)
    type(EFP_type), intent(in) :: EFP1
    real(real64) :: sum
    sum = EFP1%sum()
  end function

  ! overflow does not change: every number has its place.
  function real_to_EFP(val, overflow) result(total)
    real(real64), intent(in) :: val
    logical, intent(inout), optional :: overflow
    type(EFP_type) :: total
    call total%add([val])
  end function

  function EFP_plus(EFP1, EFP2) result(total)
    type(EFP_type), intent(in) :: EFP1, EFP2
    type(EFP_type) :: total
    total%words = EFP1%words
    call total%merge(EFP2)
  end function

  ! The limbs change their sign, and the infinities theirs; a -0 becomes a +0.
  function EFP_minus(EFP1, EFP2) result(total)
    type(EFP_type), intent(in) :: EFP1, EFP2
    type(EFP_type) :: total
    total%words = EFP2%words
    total%words(:last_limb) = -EFP2%words(:last_limb)
    total%words(other) = max(EFP2%words(other), 1_c_int64_t)
    total%words(positive_infinity) = EFP2%words(negative_infinity)
    total%words(negative_infinity) = EFP2%words(positive_infinity)
    call total%merge(EFP1)
  end function

  function EFP_real_diff(EFP1, EFP2) result(difference)
    type(EFP_type), intent(in) :: EFP1, EFP2
    real(real64) :: difference
    type(EFP_type) :: total
    total = EFP_minus(EFP1, EFP2)
    difference = total%sum()
  end function

  elemental subroutine EFP_assign(EFP1, EFP2)
    type(EFP_type), intent(out) :: EFP1
    type(EFP_type), intent(in) :: EFP2
    EFP1%words = EFP2%words
  end subroutine

  ! The first nval become those of all ranks, in two Allreduces. After a failure they are NaN.
  subroutine EFP_list_sum_across_PEs(EFPs, nval, errors)
    type(EFP_type), intent(inout) :: EFPs(:)
    integer, intent(in) :: nval
    logical, intent(out), optional :: errors(:)
    integer(c_int64_t) :: words(size(EFPs(1)%words), nval)
    integer :: i, code
    do i = 1, nval
      words(:, i) = EFPs(i)%words
    end do
    code = c_accumulators(int(nval, c_int), words, int(the_communicator(), c_int))
    do i = 1, nval
      EFPs(i)%words = words(:, i)
      call EFPs(i)%answer(code)
    end do
    if (present(errors)) errors = code /= 0
  end subroutine

  subroutine EFP_value_sum_across_PEs(EFP, error)
    type(EFP_type), intent(inout) :: EFP
    logical, intent(out), optional :: error
    integer :: code
    call quire_mpi_merge(EFP, the_communicator(), code)
    call EFP%answer(code)
    if (present(error)) error = code /= 0
  end subroutine

  logical function query_EFP_overflow_error()
    query_EFP_overflow_error = .false.
  end function

  subroutine reset_EFP_overflow_error()
  end subroutine

end module
