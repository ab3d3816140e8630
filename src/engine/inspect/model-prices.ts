// The price of a million tokens of each model that a cadre names. Calls no model, and needs no key.

import type { CadreDefinition } from '../../definition/definition.ts';
import type { Price } from '../../kernel/provider-settings.ts';
import { openInspectedModels } from './registry.ts';

/**
 * The prices by `provider/model`, as journals name it. Left out: models without a price, and those that two aliases
 * price differently.
 */
export async function modelPrices(cadre: CadreDefinition): Promise<Readonly<Record<string, Price>>> {
  const registry = openInspectedModels(cadre);
  try {
    const named = [...cadre.agents.values()].flatMap(({ models }) => models);
    const found = new Map<string, Set<string>>();
    for (const model of new Set([...named, ...registry.aliases])) {
      const entry = registry.find(model);
      const price = await registry.price(model);
      if (!entry.ok || price === undefined) continue;
      const { name } = entry.value;
      found.set(name, (found.get(name) ?? new Set()).add(JSON.stringify(price)));
    }
    const plain = [...found].flatMap(([name, [price = '', ...others]]) => (others.length > 0 ? [] : [[name, price]]));
    return Object.fromEntries(plain.map(([name = '', price = '']) => [name, JSON.parse(price) as Price]));
  } finally {
    await registry.close();
  }
}
