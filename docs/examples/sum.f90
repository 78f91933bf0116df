! gfortran sum.f90 -o sum-fortran $(pkg-config --cflags --libs quire-fortran) && ./sum-fortran
!
! Sums, sums along a dimension, and an accumulator, from Fortran.
program example
  use quire
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  real(real64) :: x(3, 2) = reshape( &
    [0.1_real64, 0.2_real64, -0.3_real64, 1e20_real64, 1.0_real64, -1e20_real64], [3, 2])
  type(quire_accumulator) :: a

  print '(a, es23.16)', 'the intrinsic sum ', sum(x(:, 1))
  print '(a, es23.16)', 'quire_sum         ', quire_sum(x(:, 1))
  print '(a, 2es24.16)', 'of each column   ', quire_sum(x, dim=1)
  print '(a, es23.16)', 'variance          ', quire_variance(x, sample=.true.)
  call a%add(x(:, 2))
  call a%add(x(:, 1))
  print '(a, es23.16)', 'in two parts      ', a%sum()
  if (quire_sum(x(:, 1)) /= 2.0_real64**(-55) .or. quire_sum(x(:, 2)) /= 1.0_real64) error stop
end program
