// Follows a media query: true while the screen fits it.

import { useEffect, useState } from 'preact/hooks';

export function useMedia(query: string): boolean {
  const list = matchMedia(query);
  const [fits, setFits] = useState(list.matches);
  useEffect(() => {
    const changed = (): void => setFits(list.matches);
    list.addEventListener('change', changed);
    return () => list.removeEventListener('change', changed);
  }, [query]);
  return fits;
}
