import { OpenAPIHono } from '@hono/zod-openapi';
import { auditRoutes } from '../../control-plane/src/observe/audit/routes.ts';
import { type BaseFile, readBaseFile } from '../../control-plane/src/config/base-file.ts';
import { createConfigStore } from '../../control-plane/src/config/create-config-store.ts';
import type { ReloadableConfigStore } from '../../control-plane/src/config/create-config-store.ts';
import { configRoutes } from '../../control-plane/src/config/routes.ts';
import type { HttpEnv } from '../../control-plane/src/http/bindings.ts';
import { refuseInvalid } from '../../control-plane/src/http/error-handler.ts';
import { installMiddleware } from '../../control-plane/src/http/install-middleware.ts';
import { environmentTokens } from '../../control-plane/src/http/caller/environment-tokens.ts';
import { createResolveSecret } from '../../control-plane/src/config/secrets/create-resolve-secret.ts';
import type { ResolveSecret } from '../../control-plane/src/config/resolve-secret.ts';
import type { MasterKeys } from '../../control-plane/src/config/secrets/master-keys.ts';
import { secretRoutes } from '../../control-plane/src/config/secrets/routes.ts';
import { setupRoutes } from '../../control-plane/src/admin/setup/routes.ts';
import type { Deps } from '../../control-plane/src/deps.ts';
import { createTestDatabase } from './test-database.ts';
import { createTestMasterKeys } from './test-master-keys.ts';
import { createTestPorts } from './test-ports.ts';
import type { TestPorts } from './test-ports.ts';

export type ConfigApp = {
  app: OpenAPIHono<HttpEnv>;
  config: ReloadableConfigStore;
  ports: TestPorts;
  masterKeys: MasterKeys;
  resolveSecret: ResolveSecret;
  db: Awaited<ReturnType<typeof createTestDatabase>>['db'];
  /** How often the coordinator was asked to run. */
  wakes: () => number;
  /** A request from this machine. */
  call: (method: string, path: string, body?: unknown) => Promise<Answer>;
  /** How often event streams were notified. */
  notified: () => number;
  close: () => Promise<void>;
};
/** Nobody is connected that could be asked. */
export const noRunners: Pick<Deps, 'connections'> = {
  connections: {
    send: () => false,
    close: () => undefined,
    connected: async () => new Map(),
    open: () => undefined,
    take: async () => [],
    closeInboxes: () => undefined,
    call: () => Promise.reject(new Error('no runner is connected')),
    concerns: () => false,
    abandon: () => undefined,
    settle: () => undefined,
  },
};

export type Answer = { status: number; body: Record<string, unknown>; headers: Headers };

/** The configuration, secret, setup and audit routes behind the real middleware, on a database of its own. */
export async function createConfigApp(
  given: { baseFile?: BaseFile; variables?: Record<string, string> } = {},
): Promise<ConfigApp> {
  const { db, notified, close } = await createTestDatabase();
  const ports = createTestPorts();
  let wakes = 0;
  const { baseFile = null, variables = {} } = given;
  const config = createConfigStore({ db, variables, baseFile, readBaseFile });
  const masterKeys = createTestMasterKeys();
  const resolveSecret = createResolveSecret({ ...ports, db, masterKeys });
  const deps = { ...ports, db, config, masterKeys, wake: () => void (wakes += 1) };
  const app = new OpenAPIHono<HttpEnv>({ defaultHook: refuseInvalid });
  installMiddleware(app, ports, {
    tokens: environmentTokens({ writeToken: 'write-secret', readToken: undefined }),
    allowedHosts: [],
    limits: async () => (await config.load()).limits,
  });
  app.openapiRoutes([
    ...configRoutes(deps),
    ...secretRoutes(deps),
    ...setupRoutes({ ...deps, ...noRunners }),
    ...auditRoutes(deps),
  ]);
  const call = async (method: string, path: string, body?: unknown) => {
    const init: RequestInit = { method };
    if (body !== undefined) {
      init.body = JSON.stringify(body);
      init.headers = { 'Content-Type': 'application/json' };
    }
    const response = await app.request(path, init, { remoteAddress: '127.0.0.1' });
    const text = await response.text();
    const parsed = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    return { status: response.status, body: parsed, headers: response.headers };
  };
  return {
    app,
    config,
    ports,
    masterKeys,
    resolveSecret,
    db,
    notified,
    wakes: () => wakes,
    call,
    close,
  };
}
