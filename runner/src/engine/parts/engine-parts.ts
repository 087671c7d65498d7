import imagePins from '../../container/docker/sandbox/pins.json' with { type: 'json' };
import type { PinnedPackage } from './fetch-package.ts';

/** A pinned package with its folder below that of the part. */
export type PartPackage = PinnedPackage & {
  folder: string;
  licence: string;
  /** Folder of the archive that is unpacked, without its own name; left out: all of the package. */
  member?: string;
  /** Paths of the archive that are left out. */
  leaveOut?: readonly string[];
};

/** A package that `npm ci` installs in a checkout's node_modules, and the folder in it. */
export type PartDependency = { package: string; version: string; folder: string };

/** An engine that is installed separately: its packages, and how it is started. */
export type EnginePart = {
  name: string;
  version: string;
  /** Name in `engine list` and in the licences of an image. */
  title: string;
  /** Path of the program, relative to the part's folder. */
  program: string;
  /** Arguments of the program. */
  args: readonly string[];
  /** Set for a JavaScript program: the lowest major version of Node that runs it. */
  nodeMajor?: number;
  packages: readonly PartPackage[];
  /** Packages by platform (`<system>-<processor>`); the engine runs on no other. */
  platforms: Readonly<Record<string, readonly PartPackage[]>>;
  /** Packages that a checkout already contains, by platform; left out: none. */
  dependencies?: Readonly<Record<string, PartDependency>>;
  /**
   * Programs that are executable but not readable, so that the agent cannot inspect their process.
   */
  unreadable: Readonly<Record<string, readonly string[]>>;
  /** Terms that a person must accept before the installation; null: none. */
  licenceNotice: string | null;
  /** Whether images with it may be given to others. */
  publishable: boolean;
  /** Installed size, mebibytes. */
  sizeMiB: number;
};

const claudeBuild = (platform: string, integrity: string): PartPackage => ({
  package: `@anthropic-ai/claude-agent-sdk-${platform}@0.3.318`,
  integrity,
  folder: `node_modules/@anthropic-ai/claude-agent-sdk-${platform}`,
  licence: 'proprietary (Anthropic)',
});
const claudeProgram = (platform: string): string[] => [
  `node_modules/@anthropic-ai/claude-agent-sdk-${platform}/claude`,
];

/** Engine of attempts and images that name none. */
export const DEFAULT_PART = 'codex';
const codexVersion = /@(\d+\.\d+\.\d+)/.exec(imagePins.engine.x64.package)?.[1] ?? 'unknown';
const codexTargets = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
} as const;
type CodexPlatform = keyof typeof codexTargets;

const codexBuild = (platform: CodexPlatform, pin: PinnedPackage): PartPackage => {
  const member = `package/vendor/${codexTargets[platform]}`;
  // Leaves out speech input: 50 MB that no agent uses.
  const leaveOut = [`${member}/*-resources/voice`];
  return { ...pin, folder: '.', licence: 'Apache-2.0', member, leaveOut };
};
const codexOnMac = (platform: CodexPlatform, integrity: string): PartPackage =>
  codexBuild(platform, { package: `@openai/codex@${codexVersion}-${platform}`, integrity });

const PARTS: readonly EnginePart[] = [
  {
    name: DEFAULT_PART,
    version: codexVersion,
    title: 'Codex',
    program: 'bin/codex',
    args: [],
    packages: [],
    platforms: {
      'linux-x64': [codexBuild('linux-x64', imagePins.engine.x64)],
      'linux-arm64': [codexBuild('linux-arm64', imagePins.engine.arm64)],
      'darwin-x64': [
        codexOnMac(
          'darwin-x64',
          'sha512-K1FKSsSLl9v3z5TeagBQXyQRDBIGB5Jncy5dxsRxwT3aaTqN3AI8VrCfoxBxKMOOU9O2QX1vg7WkBwNVth/s9A==',
        ),
      ],
      'darwin-arm64': [
        codexOnMac(
          'darwin-arm64',
          'sha512-5WsWFBbVP78D+6FvNo1MMVxLPZdmcoQlqVJFrF4qx/TmvneLnMQKtLyXkUo54XOTDfoYKpNouTJ/F7gTVA8FnQ==',
        ),
      ],
    },
    dependencies: Object.fromEntries(
      Object.entries(codexTargets).map(([platform, target]) => [
        platform,
        {
          package: `@openai/codex-${platform}`,
          version: `${codexVersion}-${platform}`,
          folder: `vendor/${target}`,
        },
      ]),
    ),
    unreadable: { 'linux-x64': ['bin/codex'], 'linux-arm64': ['bin/codex'] },
    licenceNotice: null,
    publishable: true,
    sizeMiB: 355,
  },
  {
    name: 'opencode',
    version: '1.18.34',
    title: 'OpenCode',
    program: 'bin/opencode',
    args: ['acp'],
    packages: [],
    // The newest package for arm64 has another version.
    platforms: {
      'linux-x64': [
        {
          package: 'opencode-linux-x64@1.18.34',
          integrity:
            'sha512-RTAMjCve4euxP2QKLuvRmdoW5J5DQK1DiZqt+7slfixyjAEi79QC2Df2oYKogibaAI4IEU8uzenoJeEl3k+UEw==',
          folder: '.',
          licence: 'MIT (as its project says; the package names none)',
        },
      ],
    },
    unreadable: { 'linux-x64': ['bin/opencode'] },
    licenceNotice: null,
    publishable: true,
    sizeMiB: 178,
  },
  {
    name: 'claude',
    version: '0.101.0',
    title: 'Claude Code',
    program: 'dist/index.js',
    args: [],
    nodeMajor: 22,
    packages: [
      {
        package: '@agentclientprotocol/claude-agent-acp@0.101.0',
        integrity:
          'sha512-c9YGBfdJrLcKiinRpXuDuibC+CRGqQpe9+ey/+TuuZ7ejHlVyEELbbvRkxHZN+Hf5XGecJD5i0kvP2opCseATA==',
        folder: '.',
        licence: 'Apache-2.0',
      },
      {
        package: '@agentclientprotocol/sdk@2.4.0',
        integrity:
          'sha512-7qJ8nnyj7WesC5ve185ioTpB2/svQoeGV4HA4nLEhgDUrcmBe54/08VcXc/oL4p14tDbxxECZzdYmUYQ+4l+Wg==',
        folder: 'node_modules/@agentclientprotocol/sdk',
        licence: 'Apache-2.0',
      },
      {
        package: '@anthropic-ai/claude-agent-sdk@0.3.318',
        integrity:
          'sha512-z5WHCUeW52SKQ3rnvI3zt8X5h2QQ5o3Cgg5xarO5Rimfe67f3pOJt2aOh00S8t/nRzqfs+8nCb9o1EoXe+yccA==',
        folder: 'node_modules/@anthropic-ai/claude-agent-sdk',
        licence: 'proprietary (Anthropic)',
      },
      {
        package: 'diff@9.0.0',
        integrity:
          'sha512-svtcdpS8CgJyqAjEQIXdb3OjhFVVYjzGAPO8WGCmRbrml64SPw/jJD4GoE98aR7r25A0XcgrK3F02yw9R/vhQw==',
        folder: 'node_modules/diff',
        licence: 'BSD-3-Clause',
      },
      {
        package: 'zod@4.6.7',
        integrity:
          'sha512-g8W2D2kU6a8untc053fX1uVBKzM7yqAxW/3zwk83+6RyF2+SKOuV+c0wBDhUwzV1PaGapmZH+rmcUzPf+3CGwg==',
        folder: 'node_modules/zod',
        licence: 'MIT',
      },
    ],
    platforms: {
      'linux-x64': [
        claudeBuild(
          'linux-x64',
          'sha512-+mE+ueBD3oRFdaG16rd0h+LMjdeivGxL0pr/+FZK7JeLWVu+yPSw/f/X02b9oK36/DWykiFTu2G6HnJ9/+YO6w==',
        ),
      ],
      'linux-arm64': [
        claudeBuild(
          'linux-arm64',
          'sha512-mBm4su17aMitLBBCQj3bHdejyUDY6z/ormGih+HG24N689RSbdKECjGjkT87tDBIR/4jyoqmuSeHqM1DI8TJlg==',
        ),
      ],
      'darwin-x64': [
        claudeBuild(
          'darwin-x64',
          'sha512-6CkZ5PCdebSY/LePp16sf/HYRtM6zVuxtn8qYICFS5KUZFsjccJJ9swVsOdHXNHi4SWZcSmIFTwoUbfFCzisRw==',
        ),
      ],
      'darwin-arm64': [
        claudeBuild(
          'darwin-arm64',
          'sha512-AWoXeDXzAMD3RaA21lWuHvCrKd8xmbTTmKjovninn4j07jheoVSMzFbCFjpp4kk5TdhT36JtWPkAxvjNMbcO8w==',
        ),
      ],
    },
    unreadable: {
      'linux-x64': claudeProgram('linux-x64'),
      'linux-arm64': claudeProgram('linux-arm64'),
    },
    licenceNotice: `Claude Code is proprietary software. The licence of its packages reads:

  © Anthropic PBC. All rights reserved. Use is subject to the Legal Agreements outlined here:
  https://code.claude.com/docs/en/legal-and-compliance.

Its program may be used on this machine under those terms; images with it must not be published.`,
    publishable: false,
    sizeMiB: 349,
  },
];

/** The part with this name; null: there is none. */
export function enginePart(name: string): EnginePart | null {
  return PARTS.find((part) => part.name === name) ?? null;
}

/** All engines that are installed separately. */
export function engineParts(): readonly EnginePart[] {
  return PARTS;
}

/** The packages of a part on a platform (`linux-x64`). Throws when there is no build for it. */
export function packagesFor(part: EnginePart, platform: string): readonly PartPackage[] {
  const own = part.platforms[platform];
  if (own !== undefined) return [...part.packages, ...own];
  const known = Object.keys(part.platforms).join(', ');
  throw new Error(
    `the agent engine ${part.name} ${part.version} has no build for ${platform}, only for ${known}`,
  );
}
