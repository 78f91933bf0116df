! quire_mpi_core - the calls of mpi_calls.c. Users take module quire_mpi. SPDX-License-Identifier: MIT
module quire_mpi_core
  use quire_core
  implicit none
  public

  interface
    function c_world() bind(c, name='quire_fortran_world') result(comm)
      import
      integer(c_int) :: comm
    end function
    function c_allreduce(what, n, x, y, results, comm) bind(c, name='quire_fortran_allreduce') result(status)
      import
      type(quire_reduction), intent(in) :: what
      integer(c_size_t), value :: n
      type(c_ptr), value :: x, y, results
      integer(c_int), value :: comm
      integer(c_int) :: status
    end function
    function c_fields(what, fields, n, ld, x, results, comm) bind(c, name='quire_fortran_fields') result(status)
      import
      type(quire_reduction), intent(in) :: what
      integer(c_size_t), value :: fields, n
      integer(c_intptr_t), value :: ld
      type(c_ptr), value :: x, results
      integer(c_int), value :: comm
      integer(c_int) :: status
    end function
    function c_elements(what, n, x, results, comm) bind(c, name='quire_fortran_elements') result(status)
      import
      type(quire_reduction), intent(in) :: what
      integer(c_size_t), value :: n
      type(c_ptr), value :: x, results
      integer(c_int), value :: comm
      integer(c_int) :: status
    end function
    function c_accumulators(count, accumulators, comm) bind(c, name='quire_fortran_accumulators') result(status)
      import
      integer(c_int), value :: count, comm
      integer(c_int64_t), intent(inout) :: accumulators(*)
      integer(c_int) :: status
    end function
  end interface

contains

  ! The whole of an array of which each rank has a part. A rank whose y has another shape passes an operation that is
  ! none, so that all ranks get a status.
  function allreduce_array(operation, type, shape, correction, x, y, y_shape, result, comm) result(status)
    integer(c_int), intent(in) :: operation, type
    integer(c_size_t), intent(in) :: shape(:), y_shape(:)
    integer, intent(in) :: comm
    integer(c_int64_t), intent(in) :: correction
    type(c_ptr), intent(in) :: x, y, result
    integer(c_int) :: status
    type(quire_reduction) :: what
    what%operation = merge(operation, -1_c_int, all(shape == y_shape))
    what%type = type
    what%correction = correction
    status = c_allreduce(what, product(shape), x, y, result, int(comm, c_int))
  end function

end module
