import type { WireApi } from './wire-api.ts';

/** A public model provider: its title for people, its name in settings, and its address. */
type HostedProvider = { title: string; name: string; baseUrl: string };

/** The usual provider of each format, at the address that its publisher documents. */
export const HOSTED_PROVIDERS: Readonly<Record<WireApi, HostedProvider>> = {
  responses: { title: 'OpenAI', name: 'openai', baseUrl: 'https://api.openai.com/v1' },
  chat: {
    title: 'OpenAI Chat Completions',
    name: 'openai',
    baseUrl: 'https://api.openai.com/v1',
  },
  messages: { title: 'Anthropic', name: 'anthropic', baseUrl: 'https://api.anthropic.com/v1' },
  gemini: {
    title: 'Google Gemini',
    name: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  },
};

/**
 * A provider's address in normal form, the key of stored keys and lists: without insignificant
 * trailing parts.
 */
export function providerAddress(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '');
}

/** Whether the address belongs to a hosted provider; each of them requires a key. */
export function isHosted(baseUrl: string): boolean {
  const address = providerAddress(baseUrl);
  return Object.values(HOSTED_PROVIDERS).some((hosted) => hosted.baseUrl === address);
}
