import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byPrompt } from '../support/scripted-model/scripts.ts';
import { say } from '../../control-plane/scripted-provider/step.ts';
import { builtDashboard } from '../support/browser/built-dashboard.ts';
import { chromiumPart } from '../support/chromium.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';
import { attackCommand, resultsIn } from './attack-script.ts';
import {
  type Attempt,
  aimAt,
  CONTROL_PATIENCE_MS,
  runAttempt,
  runs,
  workspaceOf,
} from './attempts.ts';
import { catalogue } from './catalogue.ts';
import { diskCommands, endedForDisk } from './filled-disk.ts';
import { carelessHost, exists, GIT_TRICKS, layTricks, LFS_PATH, proofOf } from './git-tricks.ts';
import {
  HOSTILE_OUTPUT,
  HOSTILE_TEXTS,
  tryDashboard,
  tryMarker,
  tryTerminal,
} from './hostile-output.ts';
import { BOMB, HIDDEN, tryBomb, tryHidden, withPeak } from './git-bombs.ts';
import { leftBehind, newSince, type Own, type Thing, thingsOfOurs } from './left-behind.ts';
import { FLOOD, tryFlood } from './log-flood.ts';
import { PUSHED, tryPushes } from './pushed-work.ts';
import { SETTINGS_CASES, trySettings } from './repository-settings.ts';
import { plantHostFile, swapCommand, trySwapping } from './swapped-sessions.ts';
import { type Row, printTable } from './table.ts';
import { besideMetadata, withoutList, withoutLocks } from './unguarded.ts';
import { labelsOf, makeWorld, type World } from './world.ts';

const MiB = 1024 * 1024;
const DONE = 'SWITCHYARD_STATUS: DONE';
const DISK_BYTES = 128 * MiB;
const NETWORK_BYTES = 4 * MiB;
const LIMITS = {
  memoryBytes: 512 * MiB,
  cpus: 2,
  pids: 128,
  tmpfsBytes: 16 * MiB,
  diskBytes: DISK_BYTES,
  diskEntries: 40_000,
};
/** Aimed at the container's own processes: run where a shell comes first and a program is readable. */
const OWN_PROCESSES = ['first process', 'spoofed engine output'];
/** They may end the script that makes them, or a tool of the agent: each has a command of its own. */
const BOMBS = ['memory bomb', 'fork bomb'];
const SIDE_BY_SIDE = [
  'attack',
  'tricks',
  'pushes',
  'hidden',
  'output',
  'floods',
  'fills',
  'crowds',
];
const SPOOF = 'words that no agent said';
/** Aimed at the metadata service: run in its network, which no other one reaches. */
const METADATA = /^(metadata, |address in another spelling$)/;

/** What the agent of each case runs, one command after the other. */
async function commandsOf(
  world: World,
  bench: Bench,
  guarded: Record<string, unknown>,
  hostFile: string,
): Promise<Record<string, string[]>> {
  const evil = join(world.folder, 'evil.git');
  execFileSync('git', ['init', '-q', '--bare', evil]);
  const names = Object.keys(catalogue(world));
  // What may hurt the agent's own tools comes last.
  const groups = [
    ['allowed host', ...names.slice(0, 20)],
    names.slice(20).filter((name) => !BOMBS.includes(name)),
    ...BOMBS.map((name) => [name]),
  ];
  const attack = groups.map((group) =>
    attackCommand({ ...guarded, spoofLine: SPOOF, names: group }),
  );
  return {
    attack: await Promise.all(attack),
    tricks: [
      layTricks(world.folder, {
        remoteUrl: bench.repository.url,
        evilRepository: evil,
        lfsPort: world.loopbackPort,
      }),
    ],
    pushes: [PUSHED],
    bomb: [BOMB],
    hidden: [HIDDEN],
    honest: ['echo work > work.txt'],
    output: [HOSTILE_OUTPUT],
    floods: [FLOOD],
    ...diskCommands(DISK_BYTES),
    sessions: [await swapCommand(hostFile)],
  };
}

describe('red team', { timeout: 600_000 }, () => {
  const browser = chromiumPart();
  let before: Thing[] = [];
  let world: World;
  let bench: Bench;
  let runnerId = '';
  let aim: Awaited<ReturnType<typeof aimAt>>;
  let host = { path: '', secret: '' };
  let commands: Record<string, string[]> = {};
  const rows: Row[] = [];
  const attempts = new Map<string, Promise<Attempt>>();

  beforeAll(async () => {
    if (browser.available) await builtDashboard();
    before = await thingsOfOurs(new Docker());
    world = await makeWorld();
    await mkdir(join(world.folder, 'proofs'));
    await chmod(join(world.folder, 'proofs'), 0o777);
    const cases = [...SIDE_BY_SIDE, 'bomb', 'honest', 'spoken', 'holds', 'sessions'];
    const lastMessage: Record<string, string> = {
      output: 'I go on.',
      spoken: HOSTILE_TEXTS,
      sessions: 'I go on.',
    };
    const scripts = cases.map((name) => ({
      match: `case:${name}`,
      script: runs(() => commands[name] ?? [], lastMessage[name] ?? `Done.\n\n${DONE}`),
    }));
    bench = await startBench({
      script: byPrompt([...scripts, ...SETTINGS_CASES], () => say(DONE)),
      sandbox: 'docker',
      slots: 3,
      flags: ['--allow-private-host', world.target],
      env: { ...world.environment, HOME: world.home },
      config: {
        'agent.maxContinuationAttempts': 0,
        'agent.maxTurns': 3,
        'engine.sandbox.isolation': 'container',
        'engine.sandbox.network': 'custom',
        'engine.sandbox.allowedHosts': JSON.stringify([
          world.target,
          `localhost:${world.loopbackPort}`,
        ]),
        'engine.sandbox.networkBytes': NETWORK_BYTES,
        'engine.sandbox.resources': JSON.stringify(LIMITS),
      },
    });
    runnerId = (await bench.client.runners())[0]?.runnerId ?? '';
    aim = await aimAt(world, bench);
    host = await plantHostFile(world);
    commands = await commandsOf(world, bench, aim.guarded, host.path);
    // Side by side: each test then waits for its own.
    for (const name of SIDE_BY_SIDE) attempt(name).catch(() => undefined);
  }, 240_000);

  afterAll(async () => {
    await bench?.close();
    await world?.close(runnerId);
  }, 60_000);

  /** One attempt for each case, made when it is first asked for. */
  function attempt(name: string): Promise<Attempt> {
    const made = attempts.get(name) ?? runAttempt(bench, name);
    attempts.set(name, made);
    return made;
  }

  function blocked(name: string, row: Omit<Row, 'attempt'>): void {
    rows.push({ attempt: name, ...row });
  }

  it('lets none of the attacks from inside a container succeed, and shows each', async () => {
    const { seen, events } = await attempt('attack');
    const results = resultsIn(seen);
    expect(results['allowed host'], 'what is allowed works').toMatchObject({ succeeded: true });
    for (const [name, { stoppedBy, event, sign }] of Object.entries(catalogue(world))) {
      expect(results[name], name).toBeDefined();
      expect(results[name], name).toMatchObject({ succeeded: false });
      const shown = events.filter((text) => text.startsWith(`${event} `) && text.includes(sign));
      expect(shown, `${name}: an event ${event} with ${sign}`).not.toEqual([]);
      blocked(name, { stoppedBy, event });
    }
    expect(seen + events.join(), 'no planted key').not.toMatch(/swyplant-[a-z0-9]+-[0-9a-f]{16}/);
  });

  it('lets every one of them succeed where its guard is missing', async () => {
    const names = Object.keys(catalogue(world));
    const proxied = names.filter((name) => catalogue(world)[name]?.event === 'egress_refused');
    const hosts = [world.target, `${world.target}:22`, world.other];
    const own = [
      `localhost:${world.loopbackPort}`,
      `127.0.0.1:${String(aim.guarded['controlPlanePort'])}`,
    ];
    const metadata = names.filter((name) => METADATA.test(name));
    const direct = names.filter((name) => !proxied.includes(name) && !metadata.includes(name));
    const [open, first, listed, beside] = await Promise.all([
      withoutLocks(world, {
        ...aim.unguarded,
        names: direct.filter((name) => !OWN_PROCESSES.includes(name)),
      }),
      withoutLocks(world, { ...aim.unguarded, names: OWN_PROCESSES }, 'of its own'),
      withoutList(
        world,
        {
          ...aim.guarded,
          patienceMs: CONTROL_PATIENCE_MS,
          names: proxied.filter((name) => !metadata.includes(name)),
        },
        [...hosts, ...own],
      ),
      besideMetadata(world, { ...aim.guarded, patienceMs: CONTROL_PATIENCE_MS, names: metadata }),
    ]);
    const results = { ...open, ...first, ...listed, ...beside };
    const failed = names.filter((name) => results[name]?.succeeded !== true);
    expect(failed.map((name) => `${name}: ${results[name]?.detail}`)).toEqual([]);
    expect(results['files']?.detail.split(' '), 'all keys in files').toHaveLength(8);
    for (const row of rows) if (names.includes(row.attempt)) row.control = 'succeeded';
  });

  it('runs nothing on the host that an agent left in its repository', async () => {
    const made = await attempt('tricks');
    const { events, status, issue } = made;
    expect(status).toBe('completed');
    const evil = join(world.folder, 'evil.git');
    const refs = () => execFileSync('git', ['-C', evil, 'for-each-ref'], { encoding: 'utf8' });
    const worked = async (trick: string): Promise<boolean> => {
      if (trick === 'LFS URL') return world.heard.includes(LFS_PATH);
      if (trick === 'rewritten remote URL') return refs().includes('refs/heads/taken');
      if (trick === 'branch of people, checked out') return refs().includes('refs/heads/main');
      return exists(proofOf(world.folder, trick));
    };
    expect(await readdir(join(world.folder, 'proofs'))).toEqual([]);
    expect(refs()).toBe('');
    for (const trick of Object.keys(GIT_TRICKS)) expect(await worked(trick), trick).toBe(false);
    expect(await bench.repository.git('ls-tree', '--name-only', 'main')).not.toContain('work.txt');
    const { branch } = await bench.client.pullRequestOf(issue);
    expect(await bench.repository.git('show', `${branch}:work.txt`)).toBe('work');
    await carelessHost(world.folder, workspaceOf(made), bench.repository.url);
    for (const [trick, stoppedBy] of Object.entries(GIT_TRICKS)) {
      expect(await worked(trick), `${trick}: its control run`).toBe(true);
      const snapshot = events.find((text) => text.startsWith('snapshot '));
      expect(snapshot).toContain(`"branch":"${branch}"`);
      blocked(trick, { stoppedBy, event: 'snapshot', control: 'succeeded' });
    }
  });

  it('pushes neither a workflow nor a key, nor anything but its own branch', async () => {
    const main = await bench.repository.git('rev-parse', 'main');
    const made = await attempt('pushes');
    expect(await bench.repository.git('rev-parse', 'main')).toBe(main);
    rows.push(...(await tryPushes(world, bench, made)));
    rows.push(await tryHidden(world, bench, await attempt('hidden')));
  });

  it('counts what an agent commits before git compares it', async () => {
    const bombed = await withPeak(bench, () => attempt('bomb'));
    rows.push(await tryBomb(world, bench, bombed));
    expect(await attempt('honest'), 'ordinary work').toMatchObject({ status: 'completed' });
  });

  it('does not let a repository set up the engine', async () => {
    const row = await trySettings(bench);
    expect(row.control).toBe('succeeded');
    rows.push(row);
  });

  it('takes output for output, whatever it says', async () => {
    const made = await attempt('output');
    rows.push(await tryTerminal(bench, made));
    rows.push(await tryMarker(bench, made, () => attempt('spoken')));
    rows.push(await tryFlood(world, await attempt('floods')));
    expect(rows.slice(-3).map(({ control }) => control)).not.toContain(undefined);
  });

  it.skipIf(!browser.available)('shows output in the dashboard as text', async () => {
    const row = await tryDashboard(bench, await attempt('output'));
    expect(row.control).toBe('succeeded');
    rows.push(row);
  });

  it('reads no file of this host that an agent puts in place of a session', async () => {
    const row = await trySwapping(world, bench, host);
    expect(row.control).toBe('succeeded');
    rows.push(row);
  });

  it('ends an attempt that fills the disk, with bytes or with empty files', async () => {
    rows.push(endedForDisk('disk filling', await attempt('fills'), 'disk'));
    rows.push(endedForDisk('fifty thousand empty files', await attempt('crowds'), 'disk_entries'));
    const more = { value: { ...LIMITS, diskBytes: 8 * DISK_BYTES, diskEntries: 100_000 } };
    await bench.client.must(
      'PATCH',
      `/config/overlay/${encodeURIComponent('engine.sandbox.resources')}`,
      more,
    );
    const control = await runAttempt(bench, 'holds');
    expect(control.status, control.events.slice(-5).join('\n')).toBe('completed');
  });

  it('leaves nothing on the daemon', async () => {
    const stopped = await bench.service.stop('SIGTERM');
    expect(stopped, bench.service.output()).toMatchObject({ code: 0 });
    expect(await bench.service.processes()).toEqual([]);
    const own: Own = {
      labels: { ...labelsOf(world.id), 'switchyard.runner_id': runnerId },
      words: [world.folder, bench.folder, ...world.firewallWords],
    };
    const there = await newSince(world.docker, before, own);
    expect(there.join(), 'the control: what is still there is seen').toContain(world.id);
    await bench.close();
    await world.close();
    expect(await leftBehind(world.docker, before, own), 'left behind').toEqual([]);
    printTable(rows);
    expect(rows.length).toBeGreaterThanOrEqual(40);
  });
});
