"""Miners: each learns from a released table to predict a column, for researchers or adversaries; one file a miner."""
