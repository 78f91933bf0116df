! quire_core - what the Fortran modules share: the calls of quire.h, and one place that lays out Fortran's arrays for
! them. Users take module quire. SPDX-License-Identifier: MIT
module quire_core
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: real32, real64, int8, int16, int32, int64
  implicit none
  public

  ! The numbers of quire.h, which are pinned.
  integer(c_int), parameter :: QUIRE_OK = 0, QUIRE_INVALID_OPERATION = 15, QUIRE_INVALID_LAYOUT = 18
  integer(c_int), parameter :: QUIRE_OUT_OF_MEMORY = 30
  integer(c_int), parameter :: QUIRE_F32 = 3, QUIRE_F64 = 4
  integer(c_int), parameter :: QUIRE_INT8 = 16, QUIRE_INT16 = 17, QUIRE_INT32 = 18, QUIRE_INT64 = 19
  integer(c_int), parameter :: QUIRE_INT128 = 24, QUIRE_NO_INTEGER = 24
  integer(c_int), parameter :: QUIRE_SUM_OPERATION = 1, QUIRE_ASUM_OPERATION = 2, QUIRE_DOT_OPERATION = 3
  integer(c_int), parameter :: QUIRE_NORM2_OPERATION = 4, QUIRE_MEAN_OPERATION = 5, QUIRE_VARIANCE_OPERATION = 6
  integer(c_int), parameter :: QUIRE_STDDEV_OPERATION = 7, QUIRE_SUMSQ_OPERATION = 8, QUIRE_AVERAGE_OPERATION = 9
  integer(c_int), parameter :: QUIRE_COVARIANCE_OPERATION = 10, QUIRE_CORRELATION_OPERATION = 11
  integer, parameter :: QUIRE_WORDS = 140

  type, bind(c) :: quire_reduction
    integer(c_int) :: operation = 0, type = 0, result_type = 0, method = 0, rounding = 0
    integer(c_int64_t) :: correction = 0, reserved(4) = 0
  end type

  type, bind(c) :: quire_layout
    integer(c_size_t) :: outer = 1, n = 0, inner = 1
    integer(c_intptr_t) :: outer_stride = 0, stride = 1, inner_stride = 0
  end type

  interface
    function c_reduce(context, what, x_layout, x, y_layout, y, results) bind(c, name='quire_reduce') result(status)
      import
      type(c_ptr), value :: context, x, y_layout, y, results
      type(quire_reduction), intent(in) :: what
      type(quire_layout), intent(in) :: x_layout
      integer(c_int) :: status
    end function
    function c_accumulate(context, accumulator, type, n, x) bind(c, name='quire_accumulate') result(status)
      import
      type(c_ptr), value :: context, x
      integer(c_int64_t), intent(inout) :: accumulator(*)
      integer(c_int), value :: type
      integer(c_size_t), value :: n
      integer(c_int) :: status
    end function
    function c_accumulate_products(context, accumulator, type, n, x, y) bind(c, name='quire_accumulate_products') &
        result(status)
      import
      type(c_ptr), value :: context, x, y
      integer(c_int64_t), intent(inout) :: accumulator(*)
      integer(c_int), value :: type
      integer(c_size_t), value :: n
      integer(c_int) :: status
    end function
    function c_merge(into, from) bind(c, name='quire_merge') result(status)
      import
      integer(c_int64_t), intent(inout) :: into(*)
      integer(c_int64_t), intent(in) :: from(*)
      integer(c_int) :: status
    end function
    function c_finish(what, sum, squares, result) bind(c, name='quire_finish') result(status)
      import
      type(quire_reduction), intent(in) :: what
      integer(c_int64_t), intent(in) :: sum(*)
      type(c_ptr), value :: squares, result
      integer(c_int) :: status
    end function
    function c_finish_pair(what, sum_x, sum_y, squares_x, squares_y, products, result) &
        bind(c, name='quire_finish_pair') result(status)
      import
      type(quire_reduction), intent(in) :: what
      integer(c_int64_t), intent(in) :: sum_x(*), sum_y(*), products(*)
      type(c_ptr), value :: squares_x, squares_y, result
      integer(c_int) :: status
    end function
    function c_status_string(status) bind(c, name='quire_status_string') result(text)
      import
      integer(c_int), value :: status
      type(c_ptr) :: text
    end function
    function c_strlen(text) bind(c, name='strlen') result(length)
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
  end interface

contains

  ! The correction of a variance: 1 for that of a sample.
  pure function correction_of(sample)
    logical, intent(in), optional :: sample
    integer(c_int64_t) :: correction_of
    correction_of = 0
    if (present(sample)) correction_of = merge(1_c_int64_t, 0_c_int64_t, sample)
  end function

  ! Where the vectors along the axis dim of a contiguous array of that shape stand; with dim 0 all of it is one.
  ! Fortran's first index is the one that moves by one element, so the axes before dim are inner.
  pure function layout_of(shape, dim) result(layout)
    integer(c_size_t), intent(in) :: shape(:)
    integer, intent(in) :: dim
    type(quire_layout) :: layout
    if (dim == 0) then
      layout%n = product(shape)
      return
    end if
    layout%inner = product(shape(:dim - 1))
    layout%n = shape(dim)
    layout%outer = product(shape(dim + 1:))
    layout%inner_stride = 1
    layout%stride = layout%inner
    layout%outer_stride = layout%inner * layout%n
  end function

  ! Reduces the axis dim of a contiguous array of that shape, or with dim 0 all of it; y is null but for operations of
  ! two arrays, and has the shape y_shape.
  function reduce_array(operation, type, shape, dim, correction, x, y, y_shape, results) result(status)
    integer(c_int), intent(in) :: operation, type
    integer(c_size_t), intent(in) :: shape(:), y_shape(:)
    integer, intent(in) :: dim
    integer(c_int64_t), intent(in) :: correction
    type(c_ptr), intent(in) :: x, y, results
    integer(c_int) :: status
    type(quire_reduction) :: what

    status = QUIRE_INVALID_LAYOUT
    if (dim < 0 .or. dim > size(shape)) return
    if (any(shape /= y_shape)) return
    what%operation = operation
    what%type = type
    what%correction = correction
    status = c_reduce(c_null_ptr, what, layout_of(shape, dim), x, c_null_ptr, y, results)
  end function

end module
