/** Metres in a nautical mile. */
const NAUTICAL_MILE = 1852;

/** Speed over ground in knots. */
export const knots = (metres, seconds) => metres / NAUTICAL_MILE / (seconds / 3600);

/** Hours and minutes until a passage of so many nautical miles is sailed. */
export function passage(miles, speed) {
  const hours = Math.round(miles / speed);
  const minutes = Math.round((miles / speed - hours) * 60);
  return { hours, minutes };
}
