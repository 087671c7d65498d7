/** The provider that settings name when they name none: it wants a key, and its prices are listed. */
export const HOSTED_PROVIDER = 'https://api.openai.com/v1';
