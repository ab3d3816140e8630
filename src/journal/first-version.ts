// Events of version 1, which Cadre 0.1.0 wrote, as version 2 names them: `print` is `fingerprint`, an op `signal` is
// `approval`, an op `fork` is `parallel`, and what a take names is its `inbox`.

type Fields = Readonly<Record<string, unknown>>;

export function fromFirstVersion(event: unknown): unknown {
  const { type, kind } = event as Fields;
  if (type === 'op-start') return lifted(event as Fields);
  if (type === 'op-end' && kind === 'signal') return { ...(event as Fields), kind: 'approval' };
  if (type === 'op' && kind === 'fork') return { ...(event as Fields), kind: 'parallel' };
  return type === 'op' && kind === 'take' ? taken(event as Fields) : event;
}

function lifted({ print, op, ...rest }: Fields): Fields {
  const about = op as Fields;
  return {
    ...rest,
    op: about['kind'] === 'signal' ? approval(about) : about,
    ...(print !== undefined && { fingerprint: print }),
  };
}

/** Drops the name, which was always the same and said nothing. */
const approval = ({ prompt, about }: Fields): Fields => ({ kind: 'approval', prompt, about });

function taken({ detail, ...rest }: Fields): Fields {
  const { box, ...others } = detail as Fields;
  const { value, ...before } = rest;
  return { ...before, detail: { inbox: box, ...others }, value };
}
