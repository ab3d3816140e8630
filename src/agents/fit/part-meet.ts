// What a meet says of one part of its values: a property, or an array position.
import type { Budget } from './budget.ts';
import { itemSchema, itemSchemas, propertySchemas } from './children.ts';
import { meetOf, type Meet } from './meet.ts';
import { profileOf } from './profile.ts';

export function propertyMeet(meet: Meet, name: string, budget: Budget): Meet {
  return meetOf(profileOf(meet).members.flatMap((member) => propertySchemas(member, name, budget).certain));
}

export function itemMeet(meet: Meet, position: number): Meet {
  return meetOf(profileOf(meet).members.map((member) => itemSchema(itemSchemas(member), position)));
}

/** The number of positions that some member describes one by one; all later ones are alike. */
export function describedPositions(meet: Meet): number {
  return Math.max(0, ...profileOf(meet).members.map((member) => itemSchemas(member).prefix.length));
}
