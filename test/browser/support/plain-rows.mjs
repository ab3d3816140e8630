// The cost of drawing plain rows in the browser: the measure that the page's own work is compared with.

const DRAW = `((rows) => {
  const began = performance.now();
  const box = document.createElement('div');
  for (let row = 0; row < rows; row++) {
    const line = document.createElement('div');
    for (let cell = 0; cell < 6; cell++) {
      const text = document.createElement('span');
      text.textContent = 'cell ' + cell + ' of ' + row;
      line.append(text);
    }
    box.append(line);
  }
  document.body.append(box);
  box.getBoundingClientRect();
  const took = performance.now() - began;
  box.remove();
  return took;
})`;

/** Milliseconds for so many rows of six cells. */
export const plainRows = (page, rows) => page.evaluate(`${DRAW}(${rows})`);
