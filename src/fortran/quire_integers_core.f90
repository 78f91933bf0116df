! quire_integers_core - what the modules of exact sums of integers share: they come from C as integers of 128 bits, and
! go on as int64 if that holds them. Users take module quire. SPDX-License-Identifier: MIT
module quire_integers_core
  use quire_keys_core
  implicit none
  private
  public :: sum_integers, scan_integers

  ! The low one of the two words of an integer of 128 bits, which have the machine's order.
  integer, parameter :: low = merge(1, 2, transfer([1_int8, 0_int8], 1_int16) == 1)

contains

  subroutine sum_integers(type, n, x, total, status)
    integer(c_int), intent(in) :: type
    integer(c_size_t), intent(in) :: n
    type(c_ptr), intent(in) :: x
    integer(int64), intent(inout) :: total
    integer, intent(out) :: status
    integer(int64), target :: words(2)
    type(quire_reduction) :: what
    type(quire_layout) :: layout
    what%operation = QUIRE_SUM_OPERATION
    what%type = type
    what%result_type = QUIRE_INT128
    layout%n = n
    status = c_reduce(c_null_ptr, what, layout, x, c_null_ptr, c_null_ptr, c_loc(words))
    if (status /= 0) return
    if (.not. fits(words)) status = QUIRE_NO_INTEGER
    if (status == 0) total = words(low)
  end subroutine

  ! The same of running sums.
  subroutine scan_integers(type, n, x, sums, status, exclusive)
    integer(c_int), intent(in) :: type
    integer(c_size_t), intent(in) :: n
    type(c_ptr), intent(in) :: x
    integer(int64), intent(inout) :: sums(:)
    integer, intent(out) :: status
    logical, intent(in), optional :: exclusive
    integer(int64), allocatable, target :: words(:, :)
    integer(c_size_t) :: i
    status = QUIRE_INVALID_LAYOUT
    if (size(sums, kind=c_size_t) /= n) return
    allocate (words(2, n), stat=status)
    if (status /= 0) then
      status = QUIRE_OUT_OF_MEMORY
      return
    end if
    status = scan_array(type, [n], 1, exclusive, x, c_loc(words), QUIRE_INT128)
    if (status /= 0) return
    do i = 1, n
      if (.not. fits(words(:, i))) status = QUIRE_NO_INTEGER
    end do
    if (status == 0) sums = words(low, :)
  end subroutine

  ! Whether 64 bits hold an integer of 128.
  pure logical function fits(words)
    integer(int64), intent(in) :: words(2)
    fits = words(3 - low) == shifta(words(low), 63)
  end function

end module
