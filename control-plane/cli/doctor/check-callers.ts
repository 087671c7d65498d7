import type { Runner } from '@switchyard/shared/api/runner';
import type { ServiceClient } from '../client/service-client.ts';
import { askHowSeen, NAME_REFUSED, type SeenCaller } from './ask-how-seen.ts';
import { type Finding, good } from './finding.ts';
import type { Listener } from './list-listeners.ts';

const CLOSE =
  'set SERVICE_PUBLIC_ORIGIN to the address that others use, or SERVICE_TRUST_LOOPBACK=0, and restart: callers on this machine then show the local secret';
const HEADERS =
  'have the proxy set X-Forwarded-For, X-Forwarded-Proto and Host: see "Behind a proxy" in docs/setup.md';

type Runners = { runners: Pick<Runner, 'name' | 'isolationLevel'>[] };

/**
 * Who may change things without authentication, checked from this machine, through everything that
 * listens here for others, and through the public address. Empty where no service responds.
 */
export async function checkCallers(
  client: ServiceClient,
  given: { publicOrigin: string | undefined; listeners: () => Listener[] },
): Promise<Finding[]> {
  const here = await askHowSeen(client.url);
  if (here === null) return [];
  if (here === NAME_REFUSED) return [refusedName('callers', client.url)];
  const isOpen = isOpenHere(here);
  return [
    describeHere(here),
    ...(isOpen ? await checkListeners(client.url, given.listeners()) : []),
    ...(isOpen ? await checkContainers(client) : []),
    ...(given.publicOrigin === undefined || given.publicOrigin === ''
      ? []
      : [await checkPublicOrigin(given.publicOrigin)]),
  ];
}

/** Whether this machine may do everything without showing anything. */
function isOpenHere({ fromLoopback, scope }: SeenCaller): boolean {
  return fromLoopback && scope === 'admin';
}

function describeHere(here: SeenCaller): Finding {
  if (!isOpenHere(here)) {
    return mayChange(here)
      ? trouble('fail', 'callers', 'anybody may change things without a token', CLOSE)
      : good('callers', 'changes need a token or the local secret');
  }
  if (!here.remoteChanges) return good('callers', 'this machine may do everything, nobody else');
  return trouble(
    'warn',
    'callers',
    'SERVICE_WRITE_TOKEN is set, but whatever connects from this machine may change everything without it: a proxy, tunnel or forwarder in front would let everybody in',
    CLOSE,
  );
}

/** Sends a request through each listener, as a stranger who knows this machine's names would. */
async function checkListeners(
  serviceUrl: string,
  listeners: readonly Listener[],
): Promise<Finding[]> {
  const { port, host } = new URL(serviceUrl);
  // A listener on every address at the service's own port is the service itself, which
  // distinguishes strangers from this machine by address.
  const others = listeners.filter((one) => !(one.everywhere && String(one.port) === port));
  const asked = await Promise.all(
    others.flatMap((one) =>
      ['http', 'https'].map(async (scheme) => {
        const address = one.address.includes(':') ? `[${one.address}]` : one.address;
        const seen = await askHowSeen(`${scheme}://${address}:${one.port}`, host);
        return { one, isOpen: isSeen(seen) && mayChange(seen) };
      }),
    ),
  );
  const doors = new Set(asked.filter(({ isOpen }) => isOpen).map(({ one }) => one));
  return [...doors].map(({ address, port: at, everywhere }) =>
    trouble(
      'fail',
      'open door',
      `port ${at} on ${everywhere ? 'every address' : address} leads to this service as this machine: whoever reaches it may change everything without a token`,
      `${CLOSE}; ${HEADERS}`,
    ),
  );
}

/**
 * Checks containers' access: where they have a network, as in Docker Desktop, their connections may
 * seem local.
 */
async function checkContainers(client: ServiceClient): Promise<Finding[]> {
  const { runners } = await client.ask<Runners>('GET', '/runners');
  const open = runners.filter(({ isolationLevel }) => isolationLevel === 'open_container');
  if (open.length === 0) return [];
  const names = open.map(({ name }) => name).join(', ');
  return [
    trouble(
      'warn',
      'containers',
      `agents' containers on ${names} are not closed: with a network there, as on Docker Desktop, they may reach this service as this machine`,
      CLOSE,
    ),
  ];
}

async function checkPublicOrigin(origin: string): Promise<Finding> {
  const name = 'public address';
  if (!URL.canParse(origin)) {
    const fix = 'give it as https://name.example';
    return trouble('fail', name, `SERVICE_PUBLIC_ORIGIN is no address: ${origin}`, fix);
  }
  const seen = await askHowSeen(origin);
  if (seen === NAME_REFUSED) return refusedName(name, origin);
  if (seen === null) {
    const detail = `${origin} answers nothing from here, or is not this service`;
    return trouble('warn', name, detail, 'open it from elsewhere, then ask again');
  }
  if (mayChange(seen)) {
    const detail = `whoever reaches ${origin} may change everything without a token`;
    return trouble('fail', name, detail, `${CLOSE}; ${HEADERS}`);
  }
  if (seen.fromLoopback) {
    const detail = `through ${origin} everybody looks like a caller on this machine; only the local secret keeps them out`;
    return trouble('warn', name, detail, HEADERS);
  }
  const read = seen.scope === null ? 'reads need a token' : 'reads are open';
  return good(name, `${origin}: changes need a token, ${read}`);
}

function refusedName(check: string, address: string): Finding {
  const fix = `start it with SERVICE_PUBLIC_ORIGIN=${new URL(address).origin}`;
  return trouble('fail', check, `the service at ${address} does not answer under this name`, fix);
}

function isSeen(seen: Awaited<ReturnType<typeof askHowSeen>>): seen is SeenCaller {
  return seen !== null && seen !== NAME_REFUSED;
}

function mayChange({ scope }: SeenCaller): boolean {
  return scope === 'operate' || scope === 'admin';
}

function trouble(status: 'warn' | 'fail', name: string, detail: string, fix: string): Finding {
  return { name, status, detail, fix, mend: null };
}
