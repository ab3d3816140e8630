// Adds a search and a zoom to a run that is read as a file, and opens all of it for the printer. Nothing is lost without.
(() => {
  const tools = document.getElementById('ex-tools');
  const time = document.querySelector('.ex-tl');
  const parts = [...document.querySelectorAll('details')];
  const items = [...document.querySelectorAll('.talk-entry, .ex-part tbody tr, .ex-file')];
  const make = (tag, fields) => Object.assign(document.createElement(tag), fields);

  const field = make('input', { type: 'search', placeholder: 'Search in this run' });
  field.setAttribute('aria-label', 'Search in this run');
  const count = make('span', {});
  count.setAttribute('role', 'status');
  let opened;
  const open = (of) => {
    opened ??= parts.filter((one) => one.open);
    for (const one of parts) one.open = of(one);
  };
  const close = () => {
    if (opened !== undefined) for (const one of parts) one.open = opened.includes(one);
    opened = undefined;
  };
  field.addEventListener('input', () => {
    const word = field.value.trim().toLowerCase();
    const hits = items.filter((one) => {
      const hit = word === '' || one.textContent.toLowerCase().includes(word);
      one.hidden = !hit;
      return hit;
    });
    count.textContent = word === '' ? '' : `${hits.length} of ${items.length}`;
    if (word === '') close();
    else open((part) => hits.some((one) => part.contains(one)));
  });
  tools.append(count, field);

  if (time !== null) {
    let zoom = 1;
    const set = (to) => {
      zoom = Math.min(64, Math.max(1, to));
      time.style.setProperty('--zoom', String(zoom));
    };
    for (const [label, by] of [['+', 2], ['−', 0.5]]) {
      const button = make('button', { type: 'button', className: 'btn small', textContent: label });
      button.setAttribute('aria-label', by > 1 ? 'Zoom in' : 'Zoom out');
      button.addEventListener('click', () => set(zoom * by));
      tools.append(button);
    }
    time.addEventListener('scroll', () => time.style.setProperty('--at', `${time.scrollLeft}px`));
  }

  addEventListener('beforeprint', () => open(() => true));
  addEventListener('afterprint', close);
})();
