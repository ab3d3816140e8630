// Finds what a browser would load from another server when it shows a file of the site: scripts, styles, fonts, pictures. A link that
// a reader follows is no such thing.
import { extname } from 'node:path';

const PATTERNS = {
  '.html': [
    /<(?:script|img|source|iframe|video|audio)\b[^>]*\s(?:src|srcset)="(?:https?:)?\/\/[^"]*"/g,
    /<link\b[^>]*\shref="(?:https?:)?\/\/[^"]*"/g,
  ],
  '.css': [/@import\s+["'](?:https?:)?\/\/[^;]*/g, /url\(["']?(?:https?:)?\/\/[^)]*\)/g],
};

export const fetchedElsewhere = (file, text) =>
  (PATTERNS[extname(file)] ?? []).flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([found]) => `${file}: ${found.slice(0, 200)}`),
  );
