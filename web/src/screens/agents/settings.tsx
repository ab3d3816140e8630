// The settings of an agent: each value that holds, and where it comes from, as `cadre help <agent>` says.

import type { ShownSetting } from '../../../../src/server/protocol.ts';
import { copyText } from '../../parts/controls.tsx';

/** The name stands above them. */
export const Settings = ({ of }: { readonly of: readonly ShownSetting[] }) => {
  const set = of.filter(({ key, value }) => key !== 'name' && value !== undefined);
  const unset = of.filter(({ value }) => value === undefined);
  return (
    <>
      <table class="tab wrapped agents-settings">
        <thead class="sr">
          <tr>
            <th>key</th>
            <th>value</th>
            <th>from</th>
          </tr>
        </thead>
        <tbody>
          {set.map((one) => (
            <tr key={one.key}>
              <td class="mono">{one.key}</td>
              <td>
                <span class="clamp" dir="auto" title={one.value}>
                  {one.value}
                </span>
              </td>
              <td>
                <From of={one} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {unset.length > 0 && (
        <p class="small-text faint">
          Not set: <span class="mono">{unset.map(({ key }) => key).join(', ')}</span>
        </p>
      )}
    </>
  );
};

const From = ({ of: { from, place } }: { readonly of: ShownSetting }) => {
  if (place === undefined) return <span class="faint">built-in</span>;
  const at = `${place.file}:${place.line}`;
  return (
    <button type="button" class="faint" title={`Copy ${at}`} onClick={() => void copyText(at)}>
      {at.slice(at.lastIndexOf('/') + 1)}
      {from !== 'file' && `, ${from}`}
    </button>
  );
};
