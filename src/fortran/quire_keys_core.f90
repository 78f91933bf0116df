! quire_keys_core - what the modules of sums by key, of segments and of running sums share: the calls of quire/keys.h
! and quire/scan.h, and the workspace, which is allocated here. Rows and groups are numbered from 0, as in C. Users take
! module quire. SPDX-License-Identifier: MIT
module quire_keys_core
  use quire_core
  implicit none
  public

  integer(c_int), parameter :: QUIRE_I32 = 1, QUIRE_I64 = 2 ! quire_index
  integer(c_size_t), parameter, private :: alignment = 256

  interface
    function c_by_key_workspace(context, what, groups, index, x_layout) bind(c, name='quire_by_key_workspace') &
        result(bytes)
      import
      type(c_ptr), value :: context
      type(quire_reduction), intent(in) :: what
      integer(c_size_t), value :: groups
      integer(c_int), value :: index
      type(quire_layout), intent(in) :: x_layout
      integer(c_size_t) :: bytes
    end function
    function c_reduce_by_key(context, what, groups, index, keys, x_layout, x, y_layout, y, results, counts, workspace, &
        workspace_size) bind(c, name='quire_reduce_by_key') result(status)
      import
      type(c_ptr), value :: context, keys, x, y_layout, y, results, counts, workspace
      type(quire_reduction), intent(in) :: what
      integer(c_size_t), value :: groups, workspace_size
      integer(c_int), value :: index
      type(quire_layout), intent(in) :: x_layout
      integer(c_int) :: status
    end function
    function c_order_workspace(context, groups, index, n) bind(c, name='quire_order_workspace') result(bytes)
      import
      type(c_ptr), value :: context
      integer(c_size_t), value :: groups, n
      integer(c_int), value :: index
      integer(c_size_t) :: bytes
    end function
    function c_order_by_key(context, groups, index, n, keys, order, offsets, workspace, workspace_size) &
        bind(c, name='quire_order_by_key') result(status)
      import
      type(c_ptr), value :: context, keys, order, offsets, workspace
      integer(c_size_t), value :: groups, n, workspace_size
      integer(c_int), value :: index
      integer(c_int) :: status
    end function
    function c_reduce_gathered(context, what, segments, index, begin, end, x_order, x_layout, x, y_order, y_layout, y, &
        results) bind(c, name='quire_reduce_gathered') result(status)
      import
      type(c_ptr), value :: context, begin, end, x_order, x, y_order, y, results
      type(quire_reduction), intent(in) :: what
      integer(c_size_t), value :: segments
      integer(c_int), value :: index
      type(quire_layout), intent(in) :: x_layout, y_layout
      integer(c_int) :: status
    end function
    function c_reduce_segments(context, what, segments, index, begin, end, x, y, results) &
        bind(c, name='quire_reduce_segments') result(status)
      import
      type(c_ptr), value :: context, begin, end, x, y, results
      type(quire_reduction), intent(in) :: what
      integer(c_size_t), value :: segments
      integer(c_int), value :: index
      integer(c_int) :: status
    end function
    function c_scan(context, what, kind, x_layout, x, results_layout, results) bind(c, name='quire_scan') &
        result(status)
      import
      type(c_ptr), value :: context, x, results
      type(quire_reduction), intent(in) :: what
      integer(c_int), value :: kind
      type(quire_layout), intent(in) :: x_layout, results_layout
      integer(c_int) :: status
    end function
  end interface

contains

  pure function reduction_of(operation, type, sample) result(what)
    integer(c_int), intent(in) :: operation, type
    logical, intent(in), optional :: sample
    type(quire_reduction) :: what
    what%operation = operation
    what%type = type
    what%correction = correction_of(sample)
  end function

  ! A workspace of that many bytes: where it is aligned, within memory. Not enough memory: a null pointer.
  subroutine open_workspace(bytes, memory, place)
    integer(c_size_t), intent(in) :: bytes
    integer(int8), allocatable, target, intent(out) :: memory(:)
    type(c_ptr), intent(out) :: place
    integer(c_intptr_t) :: address
    integer :: code
    place = c_null_ptr
    allocate (memory(bytes + alignment), stat=code)
    if (code /= 0) return
    address = transfer(c_loc(memory), address)
    place = c_loc(memory(1 + modulo(-address, int(alignment, c_intptr_t))))
  end subroutine

  ! Allocates the workspace for the call. There are shape(dim) keys.
  function reduce_by_key(what, groups, index, keys, shape, dim, x, y, results, counts) result(status)
    type(quire_reduction), intent(in) :: what
    integer(c_size_t), intent(in) :: groups, shape(:)
    integer(c_int), intent(in) :: index
    integer, intent(in) :: dim
    type(c_ptr), intent(in) :: keys, x, y, results, counts
    integer(c_int) :: status
    integer(int8), allocatable, target :: memory(:)
    integer(c_size_t) :: bytes
    type(c_ptr) :: workspace
    bytes = c_by_key_workspace(c_null_ptr, what, groups, index, layout_of(shape, dim))
    call open_workspace(bytes, memory, workspace)
    status = QUIRE_OUT_OF_MEMORY
    if (.not. c_associated(workspace)) return
    status = c_reduce_by_key(c_null_ptr, what, groups, index, keys, layout_of(shape, dim), x, c_null_ptr, y, results, &
      counts, workspace, bytes)
  end function

  function order_by_key(groups, index, n, keys, order, offsets) result(status)
    integer(c_size_t), intent(in) :: groups, n
    integer(c_int), intent(in) :: index
    type(c_ptr), intent(in) :: keys, order, offsets
    integer(c_int) :: status
    integer(int8), allocatable, target :: memory(:)
    integer(c_size_t) :: bytes
    type(c_ptr) :: workspace
    bytes = c_order_workspace(c_null_ptr, groups, index, n)
    call open_workspace(bytes, memory, workspace)
    status = QUIRE_OUT_OF_MEMORY
    if (.not. c_associated(workspace)) return
    status = c_order_by_key(c_null_ptr, groups, index, n, keys, order, offsets, workspace, bytes)
  end function

  ! The running sums along dim of an array of that shape, or with dim 0 of all of it.
  ! result_type: 0 for that of x, of integers real64.
  function scan_array(type, shape, dim, exclusive, x, results, result_type) result(status)
    integer(c_int), intent(in) :: type
    integer(c_size_t), intent(in) :: shape(:)
    integer, intent(in) :: dim
    logical, intent(in), optional :: exclusive
    type(c_ptr), intent(in) :: x, results
    integer(c_int), intent(in), optional :: result_type
    integer(c_int) :: status, kind
    type(quire_reduction) :: what
    status = QUIRE_INVALID_LAYOUT
    if (dim < 0 .or. dim > size(shape)) return
    kind = 0
    if (present(exclusive)) kind = merge(1_c_int, 0_c_int, exclusive)
    what = reduction_of(QUIRE_SUM_OPERATION, type)
    if (present(result_type)) what%result_type = result_type
    status = c_scan(c_null_ptr, what, kind, layout_of(shape, dim), x, layout_of(shape, dim), results)
  end function

end module
