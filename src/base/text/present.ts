// The fields of a record that are known: an absent key and an undefined one are not the same in a record.

export function present<Of extends object>(of: Of): { [Name in keyof Of]?: Exclude<Of[Name], undefined> } {
  const known: { [Name in keyof Of]?: Exclude<Of[Name], undefined> } = {};
  for (const name in of)
    if (of[name] !== undefined) known[name] = of[name] as Exclude<(typeof of)[typeof name], undefined>;
  return known;
}
