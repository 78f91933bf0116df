! quire - exact, reproducible sums for Fortran, on the CPU.
!
!     use quire
!     real(real64) :: x(100, 20), s, columns(20)
!     s = quire_sum(x)                     ! of all elements, correctly rounded
!     columns = quire_sum(x, dim=1)        ! as the intrinsic sum has it
!
! quire_sum, quire_norm2, quire_mean (x [, dim]), quire_dot (x, y [, dim]) and quire_variance (x [, sample] [, dim])
! take real32 and real64 of rank 1 to 3. The result is of the kind of x. With sample=.true. a
! variance is divided by n - 1 instead of n. An array that is not contiguous is copied first. A dim that the array does
! not have, and a y of another shape than x, give NaN.
!
! A quire_accumulator is an exact sum under way: call a%add(x), a%add_products(x, y), a%merge(b); a%sum(), a%norm2(),
! a%mean() round it. Its words may be added up by any integer sum, MPI_SUM of MPI_INTEGER8 included; a%carry()
! must follow. Without a status argument a call that fails makes the accumulator NaN.
!
! SPDX-License-Identifier: MIT
module quire
  use quire_core, only: real32, real64, c_int, c_int64_t, c_size_t, c_ptr, c_char, c_null_ptr, c_loc, c_f_pointer, &
    quire_reduction, QUIRE_WORDS, QUIRE_F32, QUIRE_F64, QUIRE_INVALID_LAYOUT, QUIRE_SUM_OPERATION, &
    QUIRE_MEAN_OPERATION, QUIRE_NORM2_OPERATION, c_accumulate, c_accumulate_products, c_merge, c_finish, &
    c_status_string, c_strlen
  use quire_sum_real32
  use quire_sum_real64
  use quire_dot_real32
  use quire_dot_real64
  use quire_norm2_real32
  use quire_norm2_real64
  use quire_mean_real32
  use quire_mean_real64
  use quire_variance_real32
  use quire_variance_real64
  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_quiet_nan
  implicit none
  private
  public :: quire_sum, quire_dot, quire_norm2, quire_mean, quire_variance
  public :: quire_accumulator, quire_status_text, QUIRE_WORDS

  integer, parameter :: count_word = 136, nan_word = 138 ! docs/accumulator.md

  type :: quire_accumulator
    integer(c_int64_t) :: words(QUIRE_WORDS) = 0
  contains
    procedure, private :: add32, add64, add_products32, add_products64, rounded
    procedure :: answer => answer_status                      ! (code [, status]): for calls that change it
    generic :: add => add32, add64                            ! (x [, status]): x(:)
    generic :: add_products => add_products32, add_products64 ! (x, y [, status]): x(:), y(:) of one size
    procedure :: merge => merge_words                         ! (other)
    procedure :: carry                                        ! after words were added up by other means
    procedure :: count => count_terms                         ! how many terms were added
    procedure :: sum => rounded_sum                           ! real64, rounded once; the accumulator does not change
    procedure :: mean => rounded_mean
    procedure :: norm2 => rounded_root
  end type

contains

  subroutine add32(self, x, status)
    class(quire_accumulator), intent(inout) :: self
    real(real32), intent(in), contiguous, target :: x(:)
    integer, intent(out), optional :: status
    integer :: code
    code = c_accumulate(c_null_ptr, self%words, QUIRE_F32, size(x, kind=c_size_t), c_loc(x))
    call self%answer(code, status)
  end subroutine

  subroutine add64(self, x, status)
    class(quire_accumulator), intent(inout) :: self
    real(real64), intent(in), contiguous, target :: x(:)
    integer, intent(out), optional :: status
    integer :: code
    code = c_accumulate(c_null_ptr, self%words, QUIRE_F64, size(x, kind=c_size_t), c_loc(x))
    call self%answer(code, status)
  end subroutine

  subroutine add_products32(self, x, y, status)
    class(quire_accumulator), intent(inout) :: self
    real(real32), intent(in), contiguous, target :: x(:), y(:)
    integer, intent(out), optional :: status
    integer :: code
    code = QUIRE_INVALID_LAYOUT
    if (size(x, kind=c_size_t) == size(y, kind=c_size_t)) code = &
      c_accumulate_products(c_null_ptr, self%words, QUIRE_F32, size(x, kind=c_size_t), c_loc(x), c_loc(y))
    call self%answer(code, status)
  end subroutine

  subroutine add_products64(self, x, y, status)
    class(quire_accumulator), intent(inout) :: self
    real(real64), intent(in), contiguous, target :: x(:), y(:)
    integer, intent(out), optional :: status
    integer :: code
    code = QUIRE_INVALID_LAYOUT
    if (size(x, kind=c_size_t) == size(y, kind=c_size_t)) code = &
      c_accumulate_products(c_null_ptr, self%words, QUIRE_F64, size(x, kind=c_size_t), c_loc(x), c_loc(y))
    call self%answer(code, status)
  end subroutine

  subroutine answer_status(self, code, status)
    class(quire_accumulator), intent(inout) :: self
    integer, intent(in) :: code
    integer, intent(out), optional :: status
    if (present(status)) then
      status = code
    else if (code /= 0) then
      self%words(nan_word) = 1
    end if
  end subroutine

  subroutine merge_words(self, other)
    class(quire_accumulator), intent(inout) :: self
    type(quire_accumulator), intent(in) :: other
    integer :: code
    code = c_merge(self%words, other%words)
  end subroutine

  subroutine carry(self)
    class(quire_accumulator), intent(inout) :: self
    type(quire_accumulator) :: nothing
    call self%merge(nothing)
  end subroutine

  function count_terms(self) result(n)
    class(quire_accumulator), intent(in) :: self
    integer(c_int64_t) :: n
    n = self%words(count_word)
  end function

  function rounded(self, operation) result(s)
    class(quire_accumulator), intent(in) :: self
    integer(c_int), intent(in) :: operation
    real(real64), target :: s
    type(quire_reduction) :: what
    integer :: code
    s = ieee_value(s, ieee_quiet_nan)
    what%operation = operation
    what%result_type = QUIRE_F64
    code = c_finish(what, self%words, c_null_ptr, c_loc(s))
  end function

  function rounded_sum(self) result(s)
    class(quire_accumulator), intent(in) :: self
    real(real64) :: s
    s = self%rounded(QUIRE_SUM_OPERATION)
  end function

  function rounded_mean(self) result(s)
    class(quire_accumulator), intent(in) :: self
    real(real64) :: s
    s = self%rounded(QUIRE_MEAN_OPERATION)
  end function

  function rounded_root(self) result(s)
    class(quire_accumulator), intent(in) :: self
    real(real64) :: s
    s = self%rounded(QUIRE_NORM2_OPERATION)
  end function

  ! A status in English.
  function quire_status_text(status) result(text)
    integer, intent(in) :: status
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    type(c_ptr) :: place
    integer :: i
    place = c_status_string(int(status, c_int))
    call c_f_pointer(place, letters, [c_strlen(place)])
    allocate (character(size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function

end module
