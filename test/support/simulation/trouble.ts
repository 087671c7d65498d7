import type { People } from './people.ts';
import { ACCOUNTS } from './sim-accounts.ts';
import { REMOTE_TROUBLES } from './sim-git.ts';
import type { World } from './world.ts';

export type Fault =
  | 'runner_crash'
  | 'give_back'
  | 'reboot'
  | 'twin'
  | 'partition'
  | 'database'
  | 'plane_crash'
  | 'suspend'
  | 'plane_suspend'
  | 'daemon'
  | 'tracker'
  | 'tracker_deaf'
  | 'tracker_rule'
  | 'provider'
  | 'remote'
  | 'clock'
  | 'calm';

const ALL: readonly Fault[] = [
  'runner_crash',
  'reboot',
  'twin',
  'partition',
  'database',
  'plane_crash',
  'suspend',
  'plane_suspend',
  'daemon',
  'tracker',
  'tracker_deaf',
  'tracker_rule',
  'provider',
  'remote',
  'calm',
  'give_back',
];

/** By how much clocks are wrong. */
export const CLOCK_ERRORS_MS = [
  -86_400_000, -3_600_000, -60_000, -3_000, 3_000, 60_000, 3_600_000, 86_400_000,
] as const;

/** What goes wrong in one seed: some kinds of faults, one after another and over each other. */
export class Trouble {
  readonly #world: World;
  readonly #people: People;
  readonly #kinds: Fault[];
  #over = false;

  constructor(world: World, people: People) {
    this.#world = world;
    this.#people = people;
    const drawn = ALL.filter(() => world.random.chance(0.5));
    const kinds = [...(world.options.scenario.faults ?? drawn)];
    if (world.clocksAreWrong) kinds.push('clock');
    this.#kinds = kinds.length === 0 ? ['calm'] : kinds;
  }

  /** One fault, which ends by itself after a while. */
  strike(): void {
    if (this.#over) return;
    const { random, trace } = this.#world;
    const fault = random.pick(this.#kinds);
    if (fault !== 'calm') trace.add('fault', fault);
    switch (fault) {
      case 'runner_crash':
        return this.#crashRunner(false);
      case 'reboot':
        return this.#crashRunner(true);
      case 'give_back':
        return this.#stopRunner();
      case 'twin':
        return this.#twin();
      case 'partition':
        return this.#partition();
      case 'database':
        return this.#database();
      case 'plane_crash':
        return this.#crashPlane();
      case 'suspend':
        return this.#suspendRunner();
      case 'plane_suspend':
        return this.#suspendPlane();
      case 'daemon':
        return this.#daemon();
      case 'tracker':
        this.#world.trackerDown = true;
        return this.#endAfter(random.int(3_000, 30_000), () => (this.#world.trackerDown = false));
      case 'tracker_deaf':
        this.#world.trackerIgnoresMoves = true;
        return this.#endAfter(random.int(3_000, 60_000), () => {
          this.#world.trackerIgnoresMoves = false;
        });
      case 'tracker_rule':
        this.#world.trackerMovesBack = true;
        return this.#endAfter(random.int(30_000, 200_000), () => {
          this.#world.trackerMovesBack = false;
        });
      case 'provider':
        if (this.#world.hasChain) return this.#refuseAccounts();
        this.#world.providerDown = random.pick([
          'auth_failed',
          'usage_limited',
          'provider_unreachable',
        ] as const);
        return this.#endAfter(random.int(5_000, 30_000), () => (this.#world.providerDown = null));
      case 'remote':
        this.#world.remoteTrouble = random.pick(REMOTE_TROUBLES);
        return this.#endAfter(random.int(3_000, random.chance(0.2) ? 400_000 : 60_000), () => {
          this.#world.remoteTrouble = null;
        });
      case 'clock':
        return this.#setClock();
      case 'calm':
        return undefined;
    }
  }

  /** One account, or all of the chain, is refused for a while. */
  #refuseAccounts(): void {
    const { random, accounts } = this.#world;
    const how = random.pick(['auth_failed', 'usage_limited', 'provider_unreachable'] as const);
    const struck = random.chance(0.7) ? [random.pick(ACCOUNTS)] : ACCOUNTS;
    for (const account of struck) {
      accounts.refuse(account, how);
      this.#endAfter(random.int(5_000, 30_000), () => accounts.accept(account));
    }
  }

  #endAfter(delayMs: number, end: () => void): void {
    this.#world.time.after(delayMs, end);
  }

  #crashRunner(power: boolean): void {
    const { random, trace } = this.#world;
    const runner = random.pick(this.#world.runners);
    // One that is down stays so for its time.
    if (runner.host.suspended || !runner.running) return;
    trace.add(runner.host.name, power ? 'power cut' : 'killed');
    if (power) runner.powerOff();
    else runner.kill();
    const longest = random.chance(0.2) ? 60_000 : 20_000;
    this.#endAfter(random.int(300, longest), () => this.#startRunner(runner));
  }

  /** Its service manager restarts it: everything it runs is given back in good order. */
  #stopRunner(): void {
    const { random, trace } = this.#world;
    const runner = random.pick(this.#world.runners);
    if (runner.host.suspended || !runner.running) return;
    trace.add(runner.host.name, 'told to stop');
    runner.stop();
    this.#endAfter(random.int(11_000, 14_000), () => this.#startRunner(runner));
  }

  /** A host's disk is copied; the copy runs for a while beside the original, then never again. */
  #twin(): void {
    const { random, trace } = this.#world;
    const runner = random.pick(this.#world.runners);
    if (this.#world.twins.some((twin) => twin.running)) return;
    const twin = this.#world.copyRunner(runner);
    trace.add(twin.host.name, `copied from ${runner.host.name}`);
    this.#endAfter(random.chance(0.5) ? 0 : random.int(100, 10_000), () => {
      if (this.#over) return;
      this.#startRunner(twin);
      this.#endAfter(random.int(1_000, 45_000), () => this.#endTwin(twin));
    });
  }

  /** Its process is ended; what it runs is left to itself, or ends with the host. */
  #endTwin(twin: World['runners'][number]): void {
    if (!twin.running) return;
    this.#world.trace.add(twin.host.name, 'goes away for good');
    if (this.#world.random.chance(0.5)) twin.kill();
    else twin.powerOff();
  }

  #startRunner(runner: World['runners'][number]): void {
    if (runner.running) return;
    const { trace } = this.#world;
    trace.add(runner.host.name, 'starts');
    runner
      .start()
      .catch((error: unknown) => trace.add(runner.host.name, `start failed: ${String(error)}`));
  }

  #partition(): void {
    const { random, trace } = this.#world;
    const { cut, host } = random.pick(this.#world.runners);
    const way = random.pick(['toPlane', 'toRunner', 'both'] as const);
    trace.add(host.name, `cut off: ${way}`);
    if (way !== 'toRunner') cut.toPlane = true;
    if (way !== 'toPlane') cut.toRunner = true;
    this.#endAfter(random.int(2_000, random.chance(0.3) ? 80_000 : 25_000), () => {
      cut.toPlane = false;
      cut.toRunner = false;
    });
  }

  #database(): void {
    const { random } = this.#world;
    const kind = random.pick(['fails', 'forgets', 'slow'] as const);
    this.#world.databaseFaults = {
      failBefore: kind === 'fails' ? random.pick([0.2, 0.5, 1]) : 0,
      failAfter: kind === 'forgets' ? random.pick([0.1, 0.3]) : 0,
      maxDelayMs: kind === 'slow' ? random.pick([50, 300, 900]) : 0,
    };
    this.#endAfter(random.int(2_000, 25_000), () => this.#healDatabase());
  }

  #healDatabase(): void {
    this.#world.databaseFaults = { failBefore: 0, failAfter: 0, maxDelayMs: 0 };
  }

  #crashPlane(): void {
    const { random } = this.#world;
    const up = this.#world.planes.flatMap((plane, index) => (plane?.alive === true ? [index] : []));
    if (up.length === 0) return;
    const index = random.pick(up);
    const plane = this.#world.planes[index];
    if (plane == null || plane.world.host.suspended) return;
    this.#world.killPlane(index);
    this.#people.planeDied(plane);
    this.#endAfter(random.int(200, random.chance(0.2) ? 45_000 : 15_000), () =>
      this.#startPlane(index),
    );
  }

  #startPlane(index: number): void {
    this.#world
      .startPlane(index)
      .catch((error: unknown) => this.#world.trace.add('plane', String(error)));
  }

  #suspendRunner(): void {
    const { random } = this.#world;
    const { host } = random.pick(this.#world.runners);
    const { sleepMs } = this.#world.options.scenario;
    const [shortest, longest] = sleepMs ?? [2_000, 80_000];
    const others = this.#world.runners.some((runner) => runner.host.suspended);
    if (host.suspended || (sleepMs !== undefined && others)) return;
    // At the worst moment: what the agent has said is on its way out.
    if (random.chance(0.5)) this.#world.suspendsAtWords.add(host);
    else this.#world.suspend(host);
    this.#endAfter(random.int(shortest, longest), () => this.#resume(host));
  }

  #suspendPlane(): void {
    const { random } = this.#world;
    const up = this.#world.planes.flatMap((plane) =>
      plane?.alive === true ? [plane.world.host] : [],
    );
    if (up.length === 0) return;
    const host = random.pick(up);
    if (host.suspended) return;
    this.#world.suspend(host);
    this.#endAfter(random.int(1_000, 40_000), () => this.#resume(host));
  }

  #resume(host: World['planeHosts'][number]): void {
    this.#world.suspendsAtWords.delete(host);
    if (!host.suspended) return;
    this.#world.trace.add(host.name, 'resumed');
    host.resume();
  }

  /** A control plane's clock is put forward or back. */
  #setClock(): void {
    const { random, trace, planeHosts } = this.#world;
    const host = random.pick(planeHosts);
    const byMs = random.pick(CLOCK_ERRORS_MS);
    trace.add(host.name, `its clock is set by ${byMs} ms`);
    host.aheadMs += byMs;
  }

  #daemon(): void {
    const { random, daemonsDown } = this.#world;
    const { host } = random.pick(this.#world.runners);
    daemonsDown.add(host);
    this.#endAfter(random.int(2_000, 40_000), () => daemonsDown.delete(host));
  }

  /** Everything works again; who was down is started. */
  heal(): void {
    this.#over = true;
    const world = this.#world;
    world.trace.add('fault', 'all faults end');
    this.#healDatabase();
    Object.assign(world, { trackerDown: false, providerDown: null, remoteTrouble: null });
    Object.assign(world, { trackerIgnoresMoves: false, trackerMovesBack: false });
    world.accounts.heal();
    world.daemonsDown.clear();
    for (const twin of world.twins) this.#endTwin(twin);
    for (const host of [...world.planeHosts, ...world.runners.map(({ host: one }) => one)])
      this.#resume(host);
    for (const [index, plane] of world.planes.entries())
      if (plane?.alive !== true) this.#startPlane(index);
    for (const runner of world.runners) {
      Object.assign(runner.cut, { toPlane: false, toRunner: false });
      this.#startRunner(runner);
    }
  }
}
