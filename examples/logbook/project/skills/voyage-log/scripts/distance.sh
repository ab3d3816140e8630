# Adds up the third column of a voyage, which has the miles of each leg.
awk -F, 'NR > 1 { sum += $3 } END { printf "%.1f nautical miles in %d legs\n", sum, NR - 1 }' "$1"
