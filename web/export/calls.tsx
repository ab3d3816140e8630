// Every model call of a run on one line.

import { duration, usd } from '../../src/views/amounts.ts';
import type { LedgerLine } from '../../src/views/costs/ledger.ts';
import { StateWord } from '../src/parts/state.tsx';
import { Rest } from './rest.tsx';

export const Calls = ({ lines, most }: { readonly lines: readonly LedgerLine[]; readonly most: number }) => (
  <div class="ex-wide" tabIndex={0} role="region" aria-label="Every model call">
    <table class="tab">
      <thead>
        <tr>
          <th>op</th>
          <th>agent</th>
          <th class="num">turn</th>
          <th>model</th>
          <th>status</th>
          <th class="num">in</th>
          <th class="num">out</th>
          <th class="num">cost</th>
          <th class="num">time</th>
        </tr>
      </thead>
      <tbody>
        {lines.slice(0, most).map((line) => (
          <tr key={`${line.path} ${line.startedAt}`}>
            <td class="mono">{line.path}</td>
            <td>
              <bdi>{line.agent}</bdi>
            </td>
            <td class="num">{line.turn}</td>
            <td class="mono">
              <bdi>{line.model}</bdi>
            </td>
            <td>
              <StateWord state={line.status} />
            </td>
            <td class="num">{line.usage?.input ?? '–'}</td>
            <td class="num">{line.usage?.output ?? '–'}</td>
            <td class="num">{line.usd === undefined ? '$?' : usd(line.usd)}</td>
            <td class="num">{line.ms === undefined ? '–' : duration(line.ms)}</td>
          </tr>
        ))}
      </tbody>
    </table>
    <Rest of={lines.length} most={most} what="calls" />
  </div>
);
