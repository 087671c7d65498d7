/**
 * Error messages of the schema library are English everywhere, so its fifty other languages (some
 * 40 KiB of the Worker after gzip) stay out of a bundle.
 */
export function englishOnly() {
  return {
    name: 'english-only',
    load: {
      filter: { id: /\/zod\/v4\/locales\/index\.js$/ },
      handler: () => "export { default as en } from './en.js';",
    },
  };
}
