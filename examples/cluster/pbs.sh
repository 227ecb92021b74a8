#!/bin/sh
# Eight workers on a sweep as a PBS job array; see docs/clusters.md.
#   qsub -v FOLDER=/shared/paper-table1 examples/cluster/pbs.sh
#PBS -N salsa
#PBS -J 0-7
#PBS -r y
#PBS -l select=1:ncpus=4
#PBS -l walltime=04:00:00

# Saves and stops before the wall time; submit again while work is left (exit code 75).
exec salsa sweep worker "${FOLDER:?the folder of a sweep}" --threads "${NCPUS:-1}" --time-limit 3h55m
