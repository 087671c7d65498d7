import { execFileSync } from 'node:child_process';

const COMMAND_TIMEOUT_MS = 20_000;

/** A network namespace that stands for a machine: a cable leads from it to the others. */
export type NetworkHost = {
  name: string;
  /** What a command line begins with to run there. */
  through: readonly string[];
  /** Pulls the cable: packets vanish and nobody is told. */
  cutOff(): void;
  plugIn(): void;
};

/** Namespaces around a bridge that only they and this machine reach. */
export class HostNetwork {
  /** Address of this machine that the hosts see. */
  readonly address: string;
  readonly #id: string;
  readonly #subnet: string;
  readonly #hosts: string[] = [];
  readonly #clean = () => this.remove();

  /** Needs root and iproute2 (`hostsPart`). Removed by `remove`, and at the process's end. */
  constructor() {
    this.#id = `swy${process.pid}`;
    this.#subnet = `10.213.${process.pid % 250}`;
    this.address = `${this.#subnet}.1`;
    process.once('exit', this.#clean);
    ip('link', 'add', this.#id, 'type', 'bridge');
    ip('addr', 'add', `${this.address}/24`, 'dev', this.#id);
    ip('link', 'set', this.#id, 'up');
  }

  addHost(name: string): NetworkHost {
    const number = this.#hosts.length + 1;
    const namespace = `${this.#id}-${name}`;
    const cable = `${this.#id}h${number}`;
    ip('netns', 'add', namespace);
    this.#hosts.push(namespace);
    ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
    ip('link', 'set', cable, 'master', this.#id, 'up');
    const inside = (...args: string[]) => ip('-n', namespace, ...args);
    inside('addr', 'add', `${this.#subnet}.${number + 1}/24`, 'dev', 'eth0');
    inside('link', 'set', 'lo', 'up');
    inside('link', 'set', 'eth0', 'up');
    return {
      name,
      through: ['ip', 'netns', 'exec', namespace],
      cutOff: () => ip('link', 'set', cable, 'down'),
      plugIn: () => ip('link', 'set', cable, 'up'),
    };
  }

  /** Removes what was made, as far as it is there; the cables go with their namespaces. */
  remove(): void {
    process.off('exit', this.#clean);
    for (const namespace of this.#hosts.splice(0)) ip('netns', 'del', namespace);
    ip('link', 'del', this.#id);
  }
}

function ip(...args: string[]): void {
  execFileSync('ip', args, { timeout: COMMAND_TIMEOUT_MS, stdio: ['ignore', 'ignore', 'inherit'] });
}
