// A server process and everything it starts. It leads its own process group, and the whole group ends with us.
// GROUP-1. stop() ends stdin, which tells a server to exit; then the group gets SIGTERM, then SIGKILL.
// GROUP-2. If we are killed (kill -9), stdin ends as well; a guard process notices and kills what is left a second
//          later. Only a process that leaves the group on purpose survives.
// GROUP-3. An idle group does not keep us alive. When we end, it ends as in GROUP-2.
// GROUP-4. The command begins when its guard stands: the leader is a shell that waits for a line on its stdin, and then
//          becomes the command. If we are killed before, the line never comes, and nothing is begun that nobody would
//          end.
// Not for Windows, which has no process groups.

import type { ChildProcess, ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { findProgram, isProgram } from '../base/disk/find-command.ts';

/** Loaded when a process is started, because it would slow down every start otherwise. */
const childProcess = () => process.getBuiltinModule('node:child_process');

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** The names are identifiers: a shell passes on no others (GROUP-4). */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** A script of the shell that is run if this process is killed, when the group has gone. */
  readonly afterKill?: string;
}

const usualPatienceMs = 1000;
const shell = '/bin/sh';
const waitingScript = 'read -r _ && exec "$@"';
const guardScript = 'read -r _; sleep 1; kill -s KILL -- "-$1"; eval "$2"';

export class ProcessGroup {
  readonly leader: ChildProcessByStdio<Writable, Readable, Readable>;
  private readonly exited: Promise<void>;
  private readonly patienceMs: number;
  private guard: ChildProcess | undefined;

  /** `patienceMs` is how long each step of stop() waits before the next. */
  constructor(command: ServerCommand, patienceMs: number = usualPatienceMs) {
    this.patienceMs = patienceMs;
    const waits = canWait(command);
    this.leader = spawned(waits ? waiting(command) : command);
    this.exited = new Promise((resolve) => {
      this.leader.once('exit', () => resolve());
      this.leader.once('error', () => resolve());
    });
    if (this.leader.pid === undefined) return;
    this.guard = guardOf(this.leader.pid, command.afterKill);
    if (waits) this.leader.stdin.write('\n'); // GROUP-4
  }

  /** GROUP-3. No caller waits for it: this process may end while the group runs. */
  rest(): void {
    this.leader.unref();
    for (const pipe of this.pipes()) pipe.unref?.();
  }

  /** A caller waits for it again. */
  wake(): void {
    this.leader.ref();
    for (const pipe of this.pipes()) pipe.ref?.();
  }

  /** Pipes of a process are sockets, whatever their type says. */
  private pipes(): readonly { ref?(): void; unref?(): void }[] {
    const { stdin, stdout, stderr } = this.leader;
    return [stdin, stdout, stderr] as readonly unknown[] as readonly { ref?(): void; unref?(): void }[];
  }

  /** Resolves when nothing of the group is left. May be called twice. */
  async stop(): Promise<void> {
    this.wake();
    this.leader.stdin.end();
    if (!(await this.exitedWithin(this.patienceMs))) {
      this.signal('SIGTERM');
      if (!(await this.exitedWithin(this.patienceMs))) this.signal('SIGKILL');
      await this.exited;
    }
    this.release();
  }

  /** Kills the group at once. */
  kill(): void {
    this.signal('SIGKILL');
  }

  /** When the leader has gone, the others must go too, and the guard has nothing left to do. */
  release(): void {
    if (this.guard === undefined) return;
    this.signal('SIGKILL');
    this.guard?.kill('SIGKILL');
    this.guard = undefined;
  }

  private async exitedWithin(milliseconds: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), milliseconds);
    });
    const inTime = await Promise.race([this.exited.then(() => true), late]);
    clearTimeout(timer);
    return inTime;
  }

  private signal(signal: NodeJS.Signals): void {
    const { pid } = this.leader;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch (thrown) {
      if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ESRCH')) throw thrown;
    }
  }
}

const spawned = ({ command, args, env, cwd }: ServerCommand) =>
  childProcess().spawn(command, args, {
    env: { ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    ...(cwd === undefined ? {} : { cwd }),
  });

/** A program that is not there is started without a shell: the system says why that fails better than a shell would. */
const canWait = ({ command, env, cwd }: ServerCommand): boolean =>
  isProgram(shell) && findProgram(command, { path: env['PATH'], cwd }) !== undefined;

/** GROUP-4. A shell takes one byte of its stdin at a time up to the line's end, so the rest is left for the command. */
const waiting = (order: ServerCommand): ServerCommand => ({
  ...order,
  command: shell,
  args: ['-c', waitingScript, 'sh', order.command, ...order.args],
});

/** GROUP-2. A shell that waits for the end of a pipe which only we hold. */
function guardOf(pid: number, afterKill = ':'): ChildProcess {
  const guard = childProcess().spawn(shell, ['-c', guardScript, 'sh', String(pid), afterKill], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: { PATH: '/usr/bin:/bin' },
  });
  // Without a shell there is no guard, and the server still exits when its stdin ends.
  guard.on('error', () => {});
  guard.stdin?.on('error', () => {});
  guard.unref();
  (guard.stdin as unknown as { unref?: () => void }).unref?.();
  return guard;
}
