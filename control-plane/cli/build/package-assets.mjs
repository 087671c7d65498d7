/** What the programs read at run time, and what a package has to say. Paths in the checkout. */
export const packageAssets = [
  'LICENSE',
  'migrations',
  'dashboard/dist',
  'runner/src/container/docker/sandbox',
  'control-plane/cli/edge/serve-assets.mjs',
];
