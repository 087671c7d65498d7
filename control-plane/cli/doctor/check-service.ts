import { SCRIPTED_STANDING } from '@switchyard/shared/model-providers/scripted-model';
import { cutText } from '@switchyard/shared/text/cut-text';
import { createServer } from 'node:net';
import type { Runtime } from '@switchyard/shared/api/work/state';
import { serviceVersion } from '../../src/platform/node/service-version.ts';
import type { ServiceClient } from '../client/service-client.ts';
import { DEFAULT_HOST, DEFAULT_PORT } from '../options/serve-options.ts';
import { type Finding, good } from './finding.ts';

const TIMEOUT_MS = 5_000;
/**
 * Largest clock difference that counts as none; signed deliveries and runners' tokens are refused
 * beyond a minute.
 */
const MAX_SKEW_MS = 20_000;

/** Checks the running service: version, readiness, clock; without one, whether it could start. */
export async function checkService(
  client: ServiceClient,
  place: { host?: string; port?: number },
): Promise<Finding[]> {
  if (!(await client.answers())) {
    return [client.isOf === 'holder' ? silent(client) : await checkPort(client.url, place)];
  }
  if (client.isOf === 'nobody') return [ofStranger(client)];
  const ready = await client.fetch('/readyz', { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const { version, feature_flags: flags } = await client.ask<
    Pick<Runtime, 'version' | 'feature_flags'>
  >('GET', '/runtime');
  return [
    ready.ok
      ? good('service', `${client.url} is ready`)
      : trouble('service', `${client.url} is not ready: ${cutText(await ready.text(), 300)}`, {
          status: 'fail',
          fix: 'look at what the service printed',
        }),
    version === serviceVersion
      ? good('version', version)
      : trouble('version', `the service is ${version}, this command is ${serviceVersion}`, {
          status: 'warn',
          fix: 'restart the service, or upgrade this checkout',
        }),
    checkClock(ready.headers.get('date')),
    ...(flags['trial'] === true ? [ON_TRIAL] : []),
  ];
}

function silent({ url }: ServiceClient): Finding {
  return trouble('service', `what uses the data folder does not answer at ${url}`, {
    status: 'fail',
    fix: 'look at what it printed; wait, or stop it and start it again',
  });
}

function ofStranger({ url }: ServiceClient): Finding {
  const detail = `nothing serves this data folder; what answers at ${url} has another one`;
  return trouble('service', detail, {
    status: 'warn',
    fix: 'to ask that one name it with --url; to start one of this folder choose another --port',
  });
}

const ON_TRIAL = trouble('model', SCRIPTED_STANDING, {
  status: 'warn',
  fix: 'connect a model provider on the Setup page for real work',
});

function checkClock(date: string | null): Finding {
  const theirsMs = Date.parse(date ?? '');
  const skewMs = Math.abs(Date.now() - theirsMs);
  if (Number.isNaN(theirsMs) || skewMs <= MAX_SKEW_MS) return good('clock', 'agrees');
  return trouble('clock', `differs from the service's by ${Math.round(skewMs / 1_000)} s`, {
    status: 'fail',
    fix: 'set both clocks by network time',
  });
}

async function checkPort(url: string, place: { host?: string; port?: number }): Promise<Finding> {
  const error = await listenError(place);
  if (error === null) return good('service', `nothing runs at ${url}; the port is free`);
  return trouble('service', `no service answers at ${url}, and ${error}`, {
    status: 'fail',
    fix: 'stop what listens there, or choose another port with --port',
  });
}

function listenError({
  host = DEFAULT_HOST,
  port = DEFAULT_PORT,
}: {
  host?: string;
  port?: number;
}): Promise<string | null> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', (error) => resolve(error.message));
    probe.listen(port, host, () => probe.close(() => resolve(null)));
  });
}

function trouble(
  name: string,
  detail: string,
  rest: { status: 'warn' | 'fail'; fix: string },
): Finding {
  return { name, detail, mend: null, ...rest };
}
