! quire - exact, reproducible sums for Fortran, on the CPU.
!
!     use quire
!     real(real64) :: x(100, 20), s, columns(20)
!     s = quire_sum(x)                     ! of all elements, correctly rounded
!     columns = quire_sum(x, dim=1)        ! as the intrinsic sum has it
!
! quire_sum, quire_norm2, quire_mean (x [, dim]), quire_dot, quire_correlation (x, y [, dim]), quire_average (x,
! weights [, dim]), quire_variance (x [, sample] [, dim]) and quire_covariance (x, y [, sample] [, dim]) take real32,
! real64, and integers of 8 to 64 bits, of rank 1 to 3. The result is of the kind of x, of integers real64. With
! sample=.true. a variance or a covariance is divided by n - 1 instead of n. quire_scan (x [, exclusive] [, dim]) has
! the running sums: of all elements in their order, or along dim. An array that is not contiguous is copied first. A dim
! that the array does not have, and a y of another shape than x, give NaN.
!
! call quire_integer_sum(x, total, status) makes total, of int64, the sum of integers x(:) itself, and call
! quire_integer_scan(x, sums, status [, exclusive]) makes sums(:), of int64 and of the size of x, their running sums. If
! int64 does not hold a sum, total and sums are as they were, and status is 24. Running sums take 16 bytes of memory an
! element; without them status is 30.
!
! Sums by key and segments, of any operation, QUIRE_SUM_OPERATION and the like, of rank 1 or 2. Rows and groups count
! from 1. Of rank 2, x(i, :) is row i, or with dim=2 x(:, i); results have the groups where x has the rows. y is for
! operations of two arrays. Without a status argument, results are NaN after a failure, else as they were.
!     call quire_reduce_by_key(operation, x, keys, results [, counts] [, y] [, sample] [, dim] [, status])
!         group g is of the rows whose key is g; counts(g), of int64, says how many. All other keys belong to no group.
!     call quire_order_by_key(keys, order, offsets, status)
!         sorts them once, for many calls of the next: group g has the rows order(offsets(g):offsets(g + 1) - 1).
!     call quire_reduce_gathered(operation, x, offsets, results [, order] [, y] [, y_order] [, sample] [, dim] &
!                                [, status])
!         segment s has the rows order(offsets(s):offsets(s + 1) - 1), of x and, by y_order, of y; those that are none
!         are left out. Without order, rows themselves.
!     call quire_reduce_segments(operation, x, offsets, results [, y] [, sample] [, status])
!         segment s is x(offsets(s):offsets(s + 1) - 1), all of it within x.
!
! A quire_accumulator is an exact sum under way: call a%add(x), a%add_products(x, y), a%merge(b); a%sum(), a%norm2(),
! a%mean() round it. quire_finish_pair (operation, sum_x, sum_y, products [, squares_x, squares_y] [, sample]) has the
! average (sum_y: of the weights), the covariance, or with squares the correlation, of what accumulators hold. An
! accumulator's words may be added up by any integer sum, MPI_SUM of MPI_INTEGER8 included; a%carry() must follow.
! Without a status argument a call that fails makes the accumulator NaN.
!
! SPDX-License-Identifier: MIT
module quire
  use quire_core
  use quire_generics
  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_quiet_nan
  implicit none
  private
  public :: quire_sum, quire_dot, quire_norm2, quire_mean, quire_variance
  public :: quire_average, quire_covariance, quire_correlation, quire_scan
  public :: quire_integer_sum, quire_integer_scan
  public :: quire_reduce_by_key, quire_order_by_key, quire_reduce_gathered, quire_reduce_segments
  public :: quire_accumulator, quire_finish_pair, quire_status_text, QUIRE_WORDS
  public :: QUIRE_SUM_OPERATION, QUIRE_ASUM_OPERATION, QUIRE_DOT_OPERATION, QUIRE_NORM2_OPERATION
  public :: QUIRE_MEAN_OPERATION, QUIRE_VARIANCE_OPERATION, QUIRE_STDDEV_OPERATION, QUIRE_SUMSQ_OPERATION
  public :: QUIRE_AVERAGE_OPERATION, QUIRE_COVARIANCE_OPERATION, QUIRE_CORRELATION_OPERATION

  integer, parameter :: count_word = 136, nan_word = 138 ! docs/accumulator.md

  type :: quire_accumulator
    integer(c_int64_t) :: words(QUIRE_WORDS) = 0
  contains
    procedure, private :: add32, add64, add_products32, add_products64, rounded
    procedure, private :: add_int8, add_int16, add_int32, add_int64
    procedure :: answer => answer_status                      ! (code [, status]): for calls that change it
    generic :: add => add32, add64, add_int8, add_int16, add_int32, add_int64 ! (x [, status]): x(:)
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

  subroutine add_int8(self, x, status)
    class(quire_accumulator), intent(inout) :: self
    integer(int8), intent(in), contiguous, target :: x(:)
    integer, intent(out), optional :: status
    integer :: code
    code = c_accumulate(c_null_ptr, self%words, QUIRE_INT8, size(x, kind=c_size_t), c_loc(x))
    call self%answer(code, status)
  end subroutine

  subroutine add_int16(self, x, status)
    class(quire_accumulator), intent(inout) :: self
    integer(int16), intent(in), contiguous, target :: x(:)
    integer, intent(out), optional :: status
    integer :: code
    code = c_accumulate(c_null_ptr, self%words, QUIRE_INT16, size(x, kind=c_size_t), c_loc(x))
    call self%answer(code, status)
  end subroutine

  subroutine add_int32(self, x, status)
    class(quire_accumulator), intent(inout) :: self
    integer(int32), intent(in), contiguous, target :: x(:)
    integer, intent(out), optional :: status
    integer :: code
    code = c_accumulate(c_null_ptr, self%words, QUIRE_INT32, size(x, kind=c_size_t), c_loc(x))
    call self%answer(code, status)
  end subroutine

  subroutine add_int64(self, x, status)
    class(quire_accumulator), intent(inout) :: self
    integer(int64), intent(in), contiguous, target :: x(:)
    integer, intent(out), optional :: status
    integer :: code
    code = c_accumulate(c_null_ptr, self%words, QUIRE_INT64, size(x, kind=c_size_t), c_loc(x))
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

  ! NaN where something is missing, or does not fit together.
  function quire_finish_pair(operation, sum_x, sum_y, products, squares_x, squares_y, sample) result(s)
    integer(c_int), intent(in) :: operation
    type(quire_accumulator), intent(in) :: sum_x, sum_y, products
    type(quire_accumulator), intent(in), optional, target :: squares_x, squares_y
    logical, intent(in), optional :: sample
    real(real64), target :: s
    type(quire_reduction) :: what
    type(c_ptr) :: x_at, y_at
    integer :: unused
    s = ieee_value(s, ieee_quiet_nan)
    x_at = c_null_ptr
    y_at = c_null_ptr
    if (present(squares_x)) x_at = c_loc(squares_x%words)
    if (present(squares_y)) y_at = c_loc(squares_y%words)
    what%operation = operation
    what%result_type = QUIRE_F64
    what%correction = correction_of(sample)
    unused = c_finish_pair(what, sum_x%words, sum_y%words, x_at, y_at, products%words, c_loc(s))
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
