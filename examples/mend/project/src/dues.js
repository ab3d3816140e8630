// Dues of a harbour: which berth a ship may have, and the price of a stay.

/** The water that must stay under the keel, in metres. */
export const UNDER_KEEL = 0.5;

export const fits = (ship, berth) => ship.draught <= berth.depth && ship.length <= berth.length;

/** Prices are in cents for a metre and a night. A stay of an hour counts as a night. */
export const price = (ship, hours, cents) => Math.floor(hours / 24) * ship.length * cents;
