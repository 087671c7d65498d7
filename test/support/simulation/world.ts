import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { leaseTimes } from '@switchyard/shared/protocol/lease-times';
import type { Channel, ChannelEvents } from '../../../runner/src/connection/socket/channel.ts';
import { Checker } from './checker.ts';
import { summary } from './message-summary.ts';
import type { MergeMode } from '@switchyard/shared/merge/merge-policy';
import { MergeFates } from './merge-fates.ts';
import type { MergeWorld } from './merge-starter.ts';
import { Random } from './random.ts';
import type { BoundStatement } from '../../../control-plane/src/platform/node/database/libsql-file.ts';
import { type DatabaseFaults, HEALTHY } from './sim-database.ts';
import { type AgentWorld, type Behaviour } from './sim-agent.ts';
import type { DockerWorld } from './sim-docker.ts';
import { type RemoteTrouble, SimRemote } from './sim-git.ts';
import { type ProcessClock, SimHost } from './sim-host.ts';
import { CHECK_SCRIPTS, SimChecks } from './sim-checks.ts';
import { SimSocket } from './sim-network.ts';
import { SimPlane } from './sim-plane.ts';
import { SimBase } from './sim-base.ts';
import { SimRunner } from './sim-runner.ts';
import { chainVariables, OTHER_ENGINE, USUAL_ENGINE } from './chain.ts';
import { SimAccounts } from './sim-accounts.ts';
import {
  BEHAVIOURS,
  CHECK_VARIABLES,
  PLAN_VARIABLES,
  LEASE_TTL_MS,
  MERGE_WORLD,
  mergeRoutes,
  PROVIDER,
  RULES,
  VARIABLES,
} from './simulated-config.ts';
import { Trace } from './trace.ts';
import { CLOCK_ERRORS_MS } from './trouble.ts';
import { VirtualTime } from './virtual-time.ts';
import type { Tampering, WorldOptions } from './world-options.ts';

/** A whole simulated installation: control planes, runners, network, people's tools, and a checker. */
export class World {
  readonly time = new VirtualTime();
  readonly random: Random;
  readonly trace: Trace;
  readonly checker: Checker;
  readonly options: WorldOptions;
  readonly path: string;
  readonly planeHosts: SimHost[];
  readonly planes: (SimPlane | null)[] = [];
  readonly runners: SimRunner[] = [];
  /** Copies of runners, those that are gone too. */
  readonly twins: SimRunner[] = [];
  readonly remote = new SimRemote();
  databaseFaults: DatabaseFaults = HEALTHY;
  trackerDown = false;
  /** Moves of issues are answered and have no effect. */
  trackerIgnoresMoves = false;
  /** A rule of the tracker moves back what comes to review. */
  trackerMovesBack = false;
  remoteTrouble: RemoteTrouble | null = null;
  providerDown: 'auth_failed' | 'usage_limited' | 'provider_unreachable' | null = null;
  daemonsDown = new Set<SimHost>();
  /** Hosts that fall asleep just when an agent there has spoken. */
  readonly suspendsAtWords = new Set<SimHost>();
  /** Control planes whose clocks are apart and are set now and then. */
  readonly clocksAreWrong: boolean;
  /** Issues have a chain of engines and accounts, and some runners a second engine. */
  readonly hasChain: boolean;
  /** The repository declares checks, and some runners do not know of any. */
  readonly hasChecks: boolean;
  /** Whether agents plan first and people approve their plans. */
  readonly hasPlans: boolean;
  /** Whether people split issues into sub-issues. */
  readonly hasTrees: boolean;
  /** By which policy pull requests are merged at first; null: by none. */
  readonly mergePolicy: MergeMode | null;
  readonly mergeWorld: MergeWorld;
  readonly checks: SimChecks;
  readonly accounts: SimAccounts;
  readonly #folder: string;
  /** The resume at which a host's request that was under way has arrived. */
  readonly #arrivedOf = new Map<SimHost, number>();
  #trackerFailedAtMs = Number.NEGATIVE_INFINITY;
  readonly #threadTotals = new Map<string, number>();
  readonly #behaviours: Record<Behaviour, number>;
  /** Statements that the mutation has changed. */
  tampered = 0;

  constructor(options: WorldOptions) {
    this.options = options;
    const { seed, template } = options;
    this.random = new Random(seed);
    this.trace = new Trace({ nowMs: () => this.time.nowMs, echo: options.echo });
    this.#folder = join(options.folder, `seed-${seed}`);
    mkdirSync(this.#folder, { recursive: true });
    this.path = join(this.#folder, 'switchyard.db');
    copyFileSync(template.path, this.path);
    // Drawn apart, so that everything else of a seed stays as it is.
    const clocks = new Random(seed * 104_729);
    this.clocksAreWrong = options.scenario.clocks ?? clocks.chance(0.3);
    const chains = new Random(seed * 15_485_863);
    this.hasChain = options.scenario.chain ?? chains.chance(0.4);
    const checks = new Random(seed * 32_452_843);
    const merges = new Random(seed * 86_028_157);
    this.mergePolicy = policyOf(options.scenario, merges);
    const ofMerges = this.mergePolicy === null ? null : MERGE_WORLD;
    this.#behaviours = { ...BEHAVIOURS, ...ofMerges?.behaviours, ...options.scenario.behaviours };
    this.hasChecks =
      options.scenario.checks !== undefined || ofMerges !== null || checks.chance(0.4);
    const plans = new Random(seed * 49_979_687);
    this.hasPlans = options.scenario.plans ?? plans.chance(0.3);
    const trees = new Random(seed * 67_867_967);
    this.hasTrees = options.scenario.trees ?? trees.chance(0.3);
    const scripts = { ...CHECK_SCRIPTS, ...ofMerges?.checks, ...options.scenario.checks };
    this.checks = new SimChecks((attemptId) => this.#randomOf(attemptId, 15_487).weighted(scripts));
    this.mergeWorld = {
      isOn: this.mergePolicy !== null,
      base: new SimBase((commit) => {
        this.trace.add(
          'base',
          `moves to ${commit.sha} ${commit.brought?.branch ?? ''} ${commit.brought?.commitSha ?? ''}`,
        );
        const up = this.planes.find((plane) => plane?.alive === true);
        this.checker.merges.moved(commit, up?.look ?? null);
      }),
      fates: new MergeFates(seed, merges),
      random: merges,
    };
    const planeRate = this.#rate();
    this.planeHosts = ['plane-a', 'plane-b'].map((name) => new SimHost(name, this.time, planeRate));
    if (this.clocksAreWrong) {
      for (const host of this.planeHosts) host.aheadMs = clocks.pick(CLOCK_ERRORS_MS);
    }
    const wallMs = () => this.planeHosts[0]?.wallMs() ?? 0;
    this.accounts = new SimAccounts({ wallMs, tellsResets: !this.clocksAreWrong });
    this.checker = new Checker(
      () => this.time.nowMs,
      {
        ...RULES,
        datesHold: !this.clocksAreWrong,
        chained: this.hasChain,
        planned: this.hasPlans,
        policy: this.mergePolicy,
        base: () => this.mergeWorld.base.commits,
        unreadUntilMs: () =>
          Math.max(this.#trackerFailedAtMs, ...this.planeHosts.map((host) => host.resumedAtMs)),
        worldMsOf: (atMs) => this.time.nowMs + (atMs - wallMs()) / planeRate,
        enginesOf: (runnerId) => this.#enginesOf(runnerId),
      },
      () => planeRate,
      () => this.planes.filter((plane) => plane !== null),
    );
    // Without names a copy is known only beside a live original: not in every mix of faults.
    const named = options.scenario.faults === undefined || this.random.chance(0.5);
    const count = this.random.int(2, 3);
    for (const [index, runnerId] of template.runnerIds.slice(0, count).entries()) {
      const host = new SimHost(`host-${index + 1}`, this.time, this.#rate());
      host.showsId = named;
      this.runners.push(
        new SimRunner(this.#runnerWorld(), {
          runnerId,
          host,
          slots: this.random.int(1, 2),
          engines: this.hasChain ? someEngines(chains, index) : null,
          runsChecks: checks.chance(0.8),
          merges: this.mergePolicy !== null && (index === 0 || merges.chance(0.7)),
        }),
      );
    }
  }

  #enginesOf(runnerId: string): readonly string[] {
    const runner = this.runners.find((one) => one.runnerId === runnerId);
    return runner?.engines ?? [USUAL_ENGINE];
  }

  /** Clock rates differ by up to two percent. */
  #rate(): number {
    return 1 + (this.random.next() - 0.5) * 0.04;
  }

  get tampering(): Tampering {
    return this.options.tampering;
  }

  // Control planes

  async startPlane(index: number): Promise<void> {
    const host = this.planeHosts[index];
    if (host === undefined || this.planes[index]?.alive === true) return;
    const plane = new SimPlane(host.name, this.#planeWorld(host));
    this.planes[index] = plane;
    this.trace.add(host.name, 'starts');
    await plane
      .start()
      .catch((error: unknown) => this.trace.add(host.name, `start failed: ${String(error)}`));
  }

  killPlane(index: number): void {
    const plane = this.planes[index];
    if (plane?.alive !== true) return;
    this.trace.add(plane.name, 'killed');
    plane.kill();
  }

  leader(): SimPlane | null {
    return (
      this.planes.find((plane) => plane?.leads === true && !plane.world.host.suspended) ?? null
    );
  }

  #planeWorld(host: SimHost): SimPlane['world'] {
    const { tampering, trace, checker } = this;
    return {
      host,
      random: this.random,
      path: this.path,
      variables: {
        ...VARIABLES,
        ...(this.hasChain ? chainVariables(PROVIDER) : {}),
        ...(this.hasChecks ? CHECK_VARIABLES : {}),
        ...(this.mergePolicy === null
          ? {}
          : { SERVICE_CONFIG__repos: JSON.stringify(mergeRoutes(this.mergePolicy)) }),
        ...(this.hasPlans ? PLAN_VARIABLES : {}),
        ...tampering.variables,
      },
      audience: this.options.template.audience,
      leases: { ...leaseTimes(LEASE_TTL_MS), ...tampering.leases },
      database: {
        faults: () => this.databaseFaults,
        ...(tampering.rewrite === undefined ? {} : { rewrite: this.#counted(tampering.rewrite) }),
        ...(tampering.answersEarly === undefined ? {} : { answersEarly: tampering.answersEarly }),
      },
      trackerFails: () => {
        if (!this.trackerDown) return false;
        this.#trackerFailedAtMs = this.time.nowMs;
        return this.random.chance(0.8);
      },
      trackerIgnoresMoves: () => this.trackerIgnoresMoves,
      everyoneLeads: tampering.everyoneLeads === true,
      committed: (plane, statements) => checker.committed(plane, statements),
      heard: (plane, runnerId, messages) => {
        trace.add(plane.name, `< ${this.#short(runnerId)} ${summary(messages)}`);
        checker.heard(runnerId, messages);
      },
      said: (plane, runnerId, messages) => {
        trace.add(plane.name, `> ${this.#short(runnerId)} ${summary(messages)}`);
        checker.said(plane.name, plane.look, runnerId, messages);
      },
      effect: (plane, { kind, issueId, detail, readyOf }) => {
        if (readyOf !== undefined) checker.opensReady(plane.look, readyOf);
        trace.add(plane.name, `effect ${kind} ${issueId.slice(-8)} ${detail}`);
        if (!this.#wasUnderWay(plane)) checker.effect(plane.name);
      },
      keyRead: (name, reader) => checker.keyRead(name, reader),
      moved: (issueId, state) => {
        checker.moved(issueId, state);
        if (this.trackerMovesBack && state === 'In Review') this.#moveBack(issueId);
      },
      log: (plane, line) => trace.add(plane.name, line),
    };
  }

  /** What a tool of the tracker does, which knows nothing of us. */
  #moveBack(issueId: string): void {
    this.time.after(this.random.int(500, 5_000), () => {
      const tracker = this.leader()?.tracker;
      tracker
        ?.fetchByIds([issueId])
        .then(async ([issue]) => {
          if (issue?.state !== 'In Review') return;
          this.trace.add('tracker', `a rule moves ${issue.identifier} back`);
          this.checker.ledger.movedBack(issue.identifier);
          await tracker.transition(issueId, 'Todo');
        })
        .catch((error: unknown) => this.trace.add('tracker', String(error)));
    });
  }

  /** Whether a request arrives that a suspended instance had begun: one, the moment it wakes. */
  #wasUnderWay(plane: SimPlane): boolean {
    const { host } = plane.world;
    if (this.time.nowMs !== host.resumedAtMs) return false;
    if (this.#arrivedOf.get(host) === host.resumedAtMs) return false;
    this.#arrivedOf.set(host, host.resumedAtMs);
    return true;
  }

  #counted(rewrite: NonNullable<Tampering['rewrite']>) {
    return (statement: BoundStatement): BoundStatement => {
      const changed = rewrite(statement);
      if (changed !== statement) this.tampered += 1;
      return changed;
    };
  }

  #short(runnerId: string): string {
    const index = this.runners.findIndex((runner) => runner.runnerId === runnerId);
    return this.runners[index]?.host.name ?? runnerId;
  }

  suspend(host: SimHost): void {
    this.trace.add(host.name, 'suspended');
    host.suspend();
  }

  // Runners

  /** A second host with a copy of a runner's disk, booted by itself. */
  copyRunner(runner: SimRunner): SimRunner {
    const host = new SimHost(`twin-${this.twins.length + 1}`, this.time, this.#rate());
    host.showsId = runner.host.showsId;
    host.bootId = `boot-${host.name}`;
    const twin = runner.copyTo(host);
    this.twins.push(twin);
    return twin;
  }

  #runnerWorld(): ConstructorParameters<typeof SimRunner>[0] {
    return {
      random: this.random,
      folder: this.#folder,
      docker: this.#dockerWorld(),
      agents: this.#agentWorld(),
      checks: this.checks,
      merges: this.mergeWorld,
      remote: this.remote,
      commits: { count: 0 },
      remoteTrouble: () => this.remoteTrouble,
      blindReaper: this.tampering.blindReaper === true,
      dial: (runner, clock, events) => this.#dial(runner, clock, events),
      storeBlob: (runner, clock, input) => this.#storeBlob(runner, clock, input),
      log: (runner, line) => this.trace.add(runner.host.name, line),
    };
  }

  #dockerWorld(): DockerWorld {
    return {
      random: this.random,
      daemonDown: (host) => this.daemonsDown.has(host),
      deadMan: this.tampering.noDeadMan !== true,
      check: (attemptId, command) => this.checks.run(attemptId, command),
      started: (container) => {
        this.trace.add(container.host.name, `container ${container.id} started`);
        this.checker.containerStarted(container);
      },
      said: ({ host }) => {
        if (this.suspendsAtWords.delete(host) && !host.suspended) this.suspend(host);
      },
      ended: (container, why) => {
        this.trace.add(container.host.name, `container ${container.id} ended: ${why}`);
        this.checker.containerEnded(container);
      },
      removed: (container) =>
        this.trace.add(container.host.name, `container ${container.id} removed`),
    };
  }

  /** Of an attempt, whenever it is asked for. */
  #randomOf(attemptId: string, factor: number): Random {
    const { identifier, number } = this.checker.attemptInfo(attemptId);
    const label = Number(identifier.split('-')[1] ?? 0) * 1_000 + number;
    return new Random(this.options.seed * factor + label);
  }

  #agentWorld(): AgentWorld {
    return {
      threadTotals: this.#threadTotals,
      behaviourOf: (attemptId) => {
        const random = this.#randomOf(attemptId, 7_919);
        return { behaviour: random.weighted(this.#behaviours), random };
      },
      quotaFailure: (attemptId) => {
        const { account } = this.checker.attemptInfo(attemptId);
        return account === null ? null : this.accounts.failureOf(account);
      },
      used: (attemptId, tokens) => {
        const { account } = this.checker.attemptInfo(attemptId);
        if (account !== null) this.accounts.use(account, tokens);
      },
      paid: (lease) => this.checker.paid(lease),
      providerFailure: (attemptId) => {
        const { account } = this.checker.attemptInfo(attemptId);
        if (account !== null) return this.accounts.failureOf(account);
        if (this.providerDown === null) return null;
        const resetAtMs = (this.planeHosts[0]?.wallMs() ?? 0) + 20_000;
        // Whose clock is wrong waits for a true date as long as it is wrong.
        const isReported = this.providerDown === 'usage_limited' && !this.clocksAreWrong;
        const limited = isReported ? { resetAtMs } : {};
        return { kind: this.providerDown, message: 'the provider refuses', ...limited };
      },
    };
  }

  async #dial(runner: SimRunner, clock: ProcessClock, events: ChannelEvents): Promise<Channel> {
    const { random } = this;
    const { host } = runner;
    const wait = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
    await wait(random.int(2, 60));
    if (runner.cut.toPlane || runner.cut.toRunner) {
      await wait(5_000);
      throw new Error('the connection timed out');
    }
    const up = this.planes.filter((plane) => plane?.alive === true && !plane.world.host.suspended);
    if (up.length === 0) throw new Error('connection refused');
    const plane = up[random.int(0, up.length - 1)] as SimPlane;
    if (!plane.leads) throw new Error('503 standby');
    const socket = new SimSocket({ runner: host, plane: plane.world.host }, events, {
      random,
      cut: runner.cut,
      lateFrames: this.options.scenario.lateFrames === true,
    });
    plane.accept(runner.runnerId, socket);
    await wait(random.int(1, 20));
    return socket.channel();
  }

  async #storeBlob(
    runner: SimRunner,
    clock: ProcessClock,
    input: Parameters<SimPlane['storeBlob']>[0],
  ): Promise<string> {
    for (let tries = 0; tries < 6; tries += 1) {
      await new Promise<void>((resolve) =>
        clock.after(this.random.int(5, 60) + tries * 2_000, resolve),
      );
      const plane = this.leader();
      if (plane === null || runner.cut.toPlane || runner.cut.toRunner) continue;
      try {
        return await plane.storeBlob(input);
      } catch (error) {
        this.trace.add(runner.host.name, `blob refused: ${String(error)}`);
      }
    }
    throw new Error('the control plane did not take the blob');
  }

  /** Ends every process and forgets the files. */
  close(): void {
    for (const runner of [...this.runners, ...this.twins]) runner.kill();
    for (const plane of this.planes) plane?.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function policyOf(scenario: WorldOptions['scenario'], random: Random): MergeMode | null {
  if (scenario.merges !== undefined) return scenario.merges;
  if (!random.chance(0.3)) return null;
  return random.chance(0.7) ? 'when-green' : 'ask';
}

/** The first runner has both engines, another one perhaps only the usual one. */
function someEngines(random: Random, index: number): string[] {
  const both = [USUAL_ENGINE, OTHER_ENGINE];
  return index === 0 || random.chance(0.6) ? both : [USUAL_ENGINE];
}
