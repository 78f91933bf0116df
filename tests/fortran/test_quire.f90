! test_quire.f90 - module quire: every rank and every dim, compared bit for bit with sums of the same elements as
! vectors. Prints TAP.
program test_quire
  use quire
  use, intrinsic :: iso_fortran_env, only: real32, real64, int64
  use, intrinsic :: ieee_arithmetic, only: ieee_is_nan
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_loc
  implicit none
  real(real64) :: x(7, 5, 3), y(7, 5, 3), s
  real(real64), target :: flat(105)
  real(real64), pointer, contiguous :: far(:)
  real(real32) :: x4(7, 5, 3), v4(4) = [1e20, 1.0, -1e20, 1.0]
  type(quire_accumulator) :: a, b
  integer :: i, j, k, cases = 0
  logical :: good

  do k = 1, 3
    do j = 1, 5
      do i = 1, 7
        x(i, j, k) = (1 - 2 * mod(i + j, 2)) * 10.0_real64**(5 * k + mod(7 * i, 11)) / (i + j * k)
        y(i, j, k) = 1.0_real64 / (i + 2 * j + 3 * k)
      end do
    end do
  end do
  x4 = real(x, real32)
  flat = reshape(x, [105])

  call ok(same4(quire_sum(v4), 2.0), 'a sum of real32')
  call ok(same(quire_sum([0.1_real64, 0.2_real64, -0.3_real64]), 2.0_real64**(-55)), 'a sum of real64')
  s = quire_sum(flat)
  call ok(same(quire_sum(x), s) .and. same(quire_sum(x(7:1:-1, :, 3:1:-1)), s), 'any rank, any order, with strides')
  call ok(same(quire_sum(x(1:7:2, :, 2)), quire_sum(reshape(x(1:7:2, :, 2), [20]))), 'a section')

  good = .true.
  block
    real(real64) :: d1(5, 3), d2(7, 3), d3(7, 5), e1(5), e2(7), n1(5, 3), p2(7, 3), m3(7, 5), w1(5, 3)
    real(real32) :: f2(7, 3)
    d1 = quire_sum(x, dim=1)
    d2 = quire_sum(x, dim=2)
    d3 = quire_sum(x, dim=3)
    e1 = quire_sum(x(:, :, 2), dim=1)
    e2 = quire_sum(x(:, :, 2), dim=2)
    n1 = quire_norm2(x, dim=1)
    p2 = quire_dot(x, y, dim=2)
    m3 = quire_mean(x, dim=3)
    w1 = quire_variance(x, sample=.true., dim=1)
    f2 = quire_sum(x4, dim=2)
    do k = 1, 3
      do j = 1, 5
        good = good .and. same(d1(j, k), quire_sum(x(:, j, k))) .and. same(n1(j, k), quire_norm2(x(:, j, k))) &
               .and. same(w1(j, k), quire_variance(x(:, j, k), sample=.true.))
      end do
      do i = 1, 7
        good = good .and. same(d2(i, k), quire_sum(x(i, :, k))) &
               .and. same(p2(i, k), quire_dot(x(i, :, k), y(i, :, k))) &
               .and. same4(f2(i, k), quire_sum(x4(i, :, k)))
      end do
    end do
    do j = 1, 5
      good = good .and. same(e1(j), d1(j, 2))
      do i = 1, 7
        good = good .and. same(d3(i, j), quire_sum(x(i, j, :))) .and. same(m3(i, j), quire_mean(x(i, j, :)))
      end do
    end do
    do i = 1, 7
      good = good .and. same(e2(i), d2(i, 2))
    end do
    call ok(good, 'every dim of ranks 2 and 3')
    call ok(same(quire_sum(x(:, 1, 1), dim=1), quire_sum(x(:, 1, 1))) .and. ieee_is_nan(quire_sum(x(:, 1, 1), dim=2)) &
            .and. same(quire_dot(x(:, 1, 1), y(:, 1, 1), dim=1), quire_dot(x(:, 1, 1), y(:, 1, 1))) &
            .and. same(quire_variance(x(:, 1, 1), sample=.true., dim=1), quire_variance(x(:, 1, 1), .true.)), &
            'the one dim of rank 1')
    call ok(all(ieee_is_nan(quire_sum(x, dim=4))) .and. all(ieee_is_nan(quire_sum(x(:, :, 1), dim=0))), &
            'a dim that is none')
  end block

  call ok(same(quire_variance([1.0_real64, 2.0_real64, 4.0_real64]), 14.0_real64 / 9), 'a variance')
  call ok(same(quire_variance([1.0_real64, 2.0_real64, 4.0_real64], sample=.true.), 14.0_real64 / 6), 'of a sample')
  call ok(same(quire_norm2(2.0_real64**600 * [3, 4]), 5 * 2.0_real64**600), 'a norm that would overflow')
  call ok(ieee_is_nan(quire_dot(x(:, 1, 1), y(1:6, 1, 1))), 'a dot product of different shapes')
  ! 2^61 elements, which are more than memory has; in 32 bits, none.
  call c_f_pointer(c_loc(flat), far, [2_int64**61])
  call ok(ieee_is_nan(quire_sum(far)) .and. ieee_is_nan(quire_sum(far, dim=1)), 'more elements than there can be')
  call a%add_products(far, flat(1:0), i)
  call ok(i == 18, 'which are not as many as none')
  call ok(same(quire_sum(x(1:0, 1, 1)), 0.0_real64) .and. ieee_is_nan(quire_mean(x(1:0, 1, 1))), 'nothing')

  call a%add(flat(1:50))
  call b%add(flat(51:105))
  call a%merge(b)
  call ok(same(a%sum(), s) .and. same(a%mean(), quire_mean(x)) .and. a%count() == 105, 'accumulators')
  b = a
  b%words = b%words + b%words
  call b%carry()
  call ok(same(b%sum(), 2 * s) .and. b%words(136) == 210, 'words added up')
  a = quire_accumulator()
  call a%add_products(x(:, 1, 1), x(:, 1, 1))
  call ok(same(a%norm2(), quire_norm2(x(:, 1, 1))), 'products')
  call a%add_products(x(:, 1, 1), x(1:6, 1, 1), i)
  call ok(i == 18 .and. len(quire_status_text(i)) > 10 .and. a%count() == 7, 'a status')
  a = quire_accumulator()
  call a%add(x4(:, 1, 1))
  call ok(same4(real(a%sum(), real32), quire_sum(x4(:, 1, 1))), 'an accumulator of real32')
  print '("1..", i0)', cases

contains

  pure logical function same(found, expected)
    real(real64), intent(in) :: found, expected
    same = transfer(found, 1_int64) == transfer(expected, 1_int64)
  end function

  pure logical function same4(found, expected)
    real(real32), intent(in) :: found, expected
    same4 = transfer(found, 1) == transfer(expected, 1)
  end function

  subroutine ok(condition, name)
    logical, intent(in) :: condition
    character(*), intent(in) :: name
    cases = cases + 1
    if (condition) print '("ok ", i0, " - ", a)', cases, name
    if (.not. condition) print '("not ok ", i0, " - ", a)', cases, name
  end subroutine

end program
