// A menu below the button that opens it.

import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from './controls.tsx';
import { Icon, type IconName } from './icon.tsx';

export interface MenuItem {
  readonly name: string;
  readonly icon?: IconName;
  /** The reason why it cannot be chosen now. */
  readonly off?: string | undefined;
  readonly run: () => void;
}

export const Menu = ({ label, items }: { readonly label: string; readonly items: readonly MenuItem[] }) => {
  const [at, setAt] = useState<Place | undefined>(undefined);
  return (
    <>
      <Button
        icon="more"
        label={label}
        onPress={(event) => {
          const place = (event.currentTarget as HTMLElement).getBoundingClientRect();
          setAt({ x: Math.max(8, place.right - 220), y: place.bottom + 4 });
        }}
      />
      {at !== undefined && <Items at={at} label={label} items={items} onClose={() => setAt(undefined)} />}
    </>
  );
};

interface Place {
  readonly x: number;
  readonly y: number;
}

interface ItemsProps {
  readonly at: Place;
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly onClose: () => void;
}

const Items = ({ at, label, items, onClose }: ItemsProps) => {
  const box = useRef<HTMLDivElement>(null);
  useFocusWithin(box, onClose);
  const move = (step: number): void => {
    const all = [...(box.current?.querySelectorAll<HTMLElement>('button') ?? [])];
    const index = all.indexOf(document.activeElement as HTMLElement);
    all[(index + step + all.length) % all.length]?.focus();
  };
  return (
    <div
      ref={box}
      class="menu boxed paper"
      role="menu"
      aria-label={label}
      style={{ left: `${at.x}px`, top: `${at.y}px` }}
      onKeyDown={(event) => {
        if (event.key === 'ArrowDown') move(1);
        else if (event.key === 'ArrowUp') move(-1);
        else if (event.key === 'Escape') onClose();
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      {items.map((item) => (
        <Item key={item.name} of={item} onDone={onClose} />
      ))}
    </div>
  );
};

/** The focus goes to the first item, and back when the menu is gone. A press elsewhere closes it. */
function useFocusWithin(box: RefObject<HTMLElement | null>, onClose: () => void): void {
  useEffect(() => {
    const opener = document.activeElement;
    box.current?.querySelector<HTMLElement>('button')?.focus();
    const away = (event: MouseEvent): void => {
      if (!(event.target instanceof Node && box.current?.contains(event.target) === true)) onClose();
    };
    addEventListener('mousedown', away);
    return () => {
      removeEventListener('mousedown', away);
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
}

const Item = ({ of: { name, icon, off, run }, onDone }: { readonly of: MenuItem; readonly onDone: () => void }) => (
  <button
    class="line gaps small-text"
    type="button"
    role="menuitem"
    aria-disabled={off === undefined ? undefined : 'true'}
    title={off}
    onClick={() => {
      if (off !== undefined) return;
      onDone();
      run();
    }}
  >
    {icon !== undefined && <Icon name={icon} />}
    {name}
  </button>
);
