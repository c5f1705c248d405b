"""Tests of both packages; helpers are imported relatively."""
