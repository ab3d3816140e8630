// All parts of the page in all of their states, on one page. It is no part of what is served: a test looks at it in both modes
// and on a phone, and compares what it sees with the pictures in test/browser/parts.

import { render } from 'preact';
import { Sprite } from '../src/parts/icon.tsx';
import { ASKING } from './asking.tsx';
import { COMPARING } from './comparing.tsx';
import { CONTROLS } from './controls.tsx';
import { READING } from './reading.tsx';
import { ROWS } from './rows.tsx';
import { Parts } from './specimen.tsx';
import './all-parts.css';

render(
  <>
    <Sprite />
    {[CONTROLS, ROWS, ASKING, READING, COMPARING].map((parts) => (
      <Parts key={parts.title} {...parts} />
    ))}
  </>,
  document.getElementById('page') as HTMLElement,
);
