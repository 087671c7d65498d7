import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';
import type { ToolSpec } from '@switchyard/shared/protocol/attempt-spec';
import type {
  AgentEngine,
  EngineEvent,
  EngineJournal,
  EngineSession,
  OpenSession,
  ToolServer,
  TurnInput,
} from '../agent-engine.ts';
import { memoryJournal } from '../session/memory-journal.ts';
import { startEngineProcess, writeHome } from './engine-process.ts';
import type { EngineProcess } from './engine-process.ts';

const GIT_IDENTITY = ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid'];
export const MODEL = 'scripted-model';

export type TurnEnded = Extract<EngineEvent, { kind: 'turn_ended' }>;

export type Bench = {
  readonly workspacePath: string;
  readonly homePath: string;
  readonly sessionsPath: string;
  readonly journal: EngineJournal;
  readonly process: EngineProcess;
  readonly session: EngineSession;
  /** Every event so far, filled by the collector that runs from the start. */
  readonly events: EngineEvent[];
  startThread(): Promise<string>;
  startTurn(text: string): Promise<string>;
  /** A whole turn; answers its end. */
  runTurn(text: string): Promise<TurnEnded>;
  /** Waits for the first event that fits, from the first one on. */
  until(
    what: string,
    fits: (event: EngineEvent) => boolean,
    timeoutMs?: number,
  ): Promise<EngineEvent>;
  untilTurnEnds(turnId?: string): Promise<TurnEnded>;
  dispose(): Promise<void>;
};

export type BenchOptions = {
  engine: AgentEngine;
  providerUrl: string;
  /** Default `responses`. */
  wireApi?: WireApi;
  files?: Record<string, string>;
  /** As of an attempt; left out, the repository's settings are ignored. */
  repositorySettings?: boolean;
  instructions?: string;
  token?: string;
  /** A `sessions` folder of an earlier engine home, copied in before the start. */
  sessionsFrom?: string;
  /** The repository of an earlier bench, which it keeps; left out, a fresh one. */
  workspacePath?: string;
  /** Tools that threads begin with, and who answers their calls. */
  tools?: readonly ToolSpec[];
  callTool?: OpenSession['callTool'];
  /** Where an engine without native tools finds them. */
  toolServer?: ToolServer;
  /** How long events are waited for. Default 10 s. */
  patienceMs?: number;
};

/** A real engine over a fresh home and a fresh git repository. */
export async function openBench(options: BenchOptions): Promise<Bench> {
  const root = mkdtempSync(join(tmpdir(), 'switchyard-engine-'));
  const workspacePath = options.workspacePath ?? join(root, 'workspace');
  const homePath = join(root, 'home');
  if (options.workspacePath === undefined) {
    makeRepository(workspacePath, options.files ?? { 'README.md': '# Test\n' });
  }
  const { engine } = options;
  const launch = engine.launch({
    model: MODEL,
    providerBaseUrl: options.providerUrl,
    wireApi: options.wireApi ?? 'responses',
    proxyToken: options.token ?? 'proxy-token',
    homePath,
    workspacePath,
    repositorySettings: options.repositorySettings ?? false,
    ...(options.instructions === undefined ? {} : { instructions: options.instructions }),
    ...(options.toolServer === undefined ? {} : { toolServer: options.toolServer }),
    sandboxed: false,
  });
  writeHome(homePath, launch);
  const sessionsPath = join(homePath, launch.sessionsFolder);
  if (options.sessionsFrom) cpSync(options.sessionsFrom, sessionsPath, { recursive: true });
  const process = startEngineProcess(launch.argv, launch.env, workspacePath);
  const journal = memoryJournal();
  const clean = async (): Promise<void> => {
    await process.dispose();
    // What the agent started may still be letting go of the folder.
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  };
  const stdio = process.attach();
  const { callTool, toolServer, tools = [], patienceMs } = options;
  const { instructions, repositorySettings = false } = options;
  const session = await engine
    .open({
      stdio,
      journal,
      adopted: false,
      workspacePath,
      repositorySettings,
      ...(instructions === undefined ? {} : { instructions }),
      ...(callTool === undefined ? {} : { callTool }),
      ...(toolServer === undefined ? {} : { toolServer }),
    })
    .catch(async (error: unknown) => {
      await clean();
      throw error;
    });
  const { events, until } = collect(session, patienceMs);
  const startTurn = async (text: string): Promise<string> =>
    (await session.startTurn(turnInput(text), { model: MODEL })).turnId;
  const untilTurnEnds = async (turnId?: string): Promise<TurnEnded> => {
    const event = await until(
      'the end of the turn',
      (one) => one.kind === 'turn_ended' && (turnId === undefined || one.turnId === turnId),
    );
    if (event.kind !== 'turn_ended') throw new Error('not the end of a turn');
    return event;
  };
  return {
    workspacePath,
    homePath,
    sessionsPath,
    journal,
    process,
    session,
    events,
    until,
    startThread: async () => {
      const { threadId } = await session.startThread({ cwd: workspacePath, model: MODEL, tools });
      for (const path of launch.secretFiles ?? []) rmSync(join(homePath, path), { force: true });
      return threadId;
    },
    startTurn,
    untilTurnEnds,
    runTurn: async (text) => untilTurnEnds(await startTurn(text)),
    dispose: async () => {
      session.close();
      await clean();
    },
  };
}

export const turnInput = (text: string): TurnInput => ({
  text,
  clientMessageId: crypto.randomUUID(),
});

type Until = (
  what: string,
  fits: (event: EngineEvent) => boolean,
  timeoutMs?: number,
) => Promise<EngineEvent>;

/** Reads a session's events for as long as it lives and lets a test wait for one of them. */
export function collect(
  session: EngineSession,
  patienceMs = 10_000,
): { events: EngineEvent[]; until: Until } {
  const events: EngineEvent[] = [];
  const waiting = new Set<(event: EngineEvent | null) => void>();
  let over = false;
  const reading = async (): Promise<void> => {
    for await (const event of session.events) {
      events.push(event);
      for (const wake of waiting) wake(event);
    }
    over = true;
    for (const wake of waiting) wake(null);
  };
  void reading();
  const until: Until = (what, fits, timeoutMs = patienceMs) => {
    const seen = events.find(fits);
    if (seen) return Promise.resolve(seen);
    if (over) return Promise.reject(new Error(`the session ended before ${what}`));
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        clearTimeout(timer);
        waiting.delete(wake);
        finish();
      };
      const wake = (event: EngineEvent | null): void => {
        if (event === null) {
          settle(() => reject(new Error(`the session ended before ${what}`)));
        } else if (fits(event)) settle(() => resolve(event));
      };
      const timer = setTimeout(() => {
        const kinds = events.map(({ kind }) => kind).join(' ');
        settle(() => reject(new Error(`no ${what} within ${timeoutMs} ms; saw ${kinds}`)));
      }, timeoutMs);
      waiting.add(wake);
    });
  };
  return { events, until };
}

function makeRepository(path: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    const absolute = join(path, name);
    mkdirSync(dirname(absolute), { recursive: true });
    writeFileSync(absolute, text);
  }
  git(path, 'init', '-q', '-b', 'main');
  git(path, 'add', '-A');
  git(path, ...GIT_IDENTITY, 'commit', '-q', '-m', 'Start');
}

export function git(path: string, ...args: string[]): string {
  return execFileSync('git', ['-C', path, ...args], { encoding: 'utf8' });
}
