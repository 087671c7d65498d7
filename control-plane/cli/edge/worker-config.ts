/** The settings of a local Worker, and the places of its files. */
export type WorkerOptions = {
  /** Text of `wrangler.toml`. */
  settings: string;
  /** Absolute paths of the bundled Worker, of the program that serves files, and of the files. */
  worker: string;
  assetServer: string;
  assets: string;
  /** Folder in which Durable Objects are stored. */
  objects: string;
  /** Certificates in PEM that are trusted in addition to those of browsers. */
  certificates: readonly string[];
  /** Names of environment variables that are bound too. */
  variables: readonly string[];
  /** Id of this run. */
  deployment: string;
  port: number;
};

/**
 * The Worker of `wrangler.toml` in the configuration language of workerd: one socket on loopback,
 * which leads only to the Worker. Absolute paths need `--import-path /`.
 */
export function workerConfig(options: WorkerOptions): string {
  const { settings } = options;
  const name = one(settings, /^name = "([^"]+)"$/m);
  const date = one(settings, /^compatibility_date = "([^"]+)"$/m);
  const flags = one(settings, /^compatibility_flags = \[(.*)\]$/m);
  const objects = [...settings.matchAll(/^name = "([^"]+)"\nclass_name = "([^"]+)"$/gm)].map(
    ([, binding = '', className = '']) => ({ binding, className }),
  );
  const bindings = [
    ...objects.map(
      ({ binding, className }) =>
        `(name = ${text(binding)}, durableObjectNamespace = ${text(className)})`,
    ),
    ...options.variables.map((each) => `(name = ${text(each)}, fromEnvironment = ${text(each)})`),
    '(name = "ASSETS", service = "assets")',
    `(name = "VERSION", json = ${text(JSON.stringify({ id: options.deployment }))})`,
  ];
  // The keys equal those that wrangler derives, so that folders created by it can be read.
  const namespaces = objects.map(
    ({ className }) =>
      `(className = ${text(className)}, uniqueKey = ${text(`${name}-${className}`)}, enableSql = true)`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "worker", worker = (
      modules = [(name = "worker.js", esModule = embed ${text(options.worker)})],
      compatibilityDate = ${text(date)},
      compatibilityFlags = [${flags}],
      bindings = ${list(bindings)},
      durableObjectNamespaces = ${list(namespaces)},
      durableObjectStorage = (localDisk = "objects"),
    )),
    (name = "assets", worker = (
      modules = [(name = "assets.js", esModule = embed ${text(options.assetServer)})],
      compatibilityDate = ${text(date)},
      bindings = [(name = "FILES", service = "files")],
      globalOutbound = "files",
    )),
    (name = "files", disk = ${text(options.assets)}),
    (name = "objects", disk = (path = ${text(options.objects)}, writable = true)),
    (name = "internet", network = (
      allow = ["public", "private"],
      tlsOptions = (trustBrowserCas = true, trustedCertificates = ${list(options.certificates.map(text))}),
    )),
  ],
  sockets = [(
    name = "http",
    address = ${text(`127.0.0.1:${options.port}`)},
    service = "worker",
    # Whoever calls is on this machine, whatever the request says.
    http = (injectRequestHeaders = [(name = "CF-Connecting-IP", value = "127.0.0.1")]),
  )],
);
`;
}

function one(settings: string, pattern: RegExp): string {
  const found = pattern.exec(settings)?.[1];
  if (found === undefined) throw new Error(`wrangler.toml has nothing like ${pattern.source}`);
  return found;
}

function list(items: readonly string[]): string {
  return items.length === 0 ? '[]' : `[\n        ${items.join(',\n        ')},\n      ]`;
}

/** A string literal: quotes, backslashes and control characters are escaped byte by byte. */
function text(value: string): string {
  const inside = value.replace(/["\\\p{Cc}]/gu, (char) =>
    [...new TextEncoder().encode(char)].map((byte) => `\\x${hex(byte)}`).join(''),
  );
  return `"${inside}"`;
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}
