import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ScriptedProvider,
  startScriptedProvider,
} from '../../control-plane/scripted-provider/scripted-provider.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { expectReachableByKeyboard } from '../support/browser/reach-by-keyboard.ts';
import { takePicture } from '../support/browser/take-picture.ts';

const WAIT_MS = 45_000;
const START_TIMEOUT_MS = 180_000;
const KEY = 'sk-of-the-other-provider';
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 900 };

// One person's way through the providers: the order matters.
describe('the provider step', () => {
  let open: OpenDashboard;
  let other: ScriptedProvider;
  let page: Page;
  beforeAll(async () => {
    open = await openDashboard({ script: [], bare: true, mayRefuse: true });
    const models = Array.from({ length: 60 }, (_, at) => `model-${at}`);
    other = await startScriptedProvider({ script: [], apiKey: KEY, models });
    ({ page } = open);
    page.setDefaultTimeout(WAIT_MS);
    await page.goto('/setup?step=provider');
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await open?.close();
    await other?.close();
  });

  const step = () => page.locator('.wizard-step');
  const field = (label: string) => page.getByLabel(label, { exact: true });
  const connect = () => page.getByRole('button', { name: 'Connect the provider' }).click();
  const providerOf = async () =>
    (await open.bench.client.must<{ provider: Record<string, unknown> }>('GET', '/setup')).provider;
  const header = (text: string) => step().locator('header').getByText(text, { exact: true });

  it('offers the hosted provider of every format', async () => {
    for (const [name, host] of [
      ['OpenAI', 'api.openai.com'],
      ['OpenAI Chat Completions', 'api.openai.com'],
      ['Anthropic', 'api.anthropic.com'],
      ['Google Gemini', 'generativelanguage.googleapis.com'],
    ]) {
      // oxlint-disable-next-line no-await-in-loop
      await page.getByRole('radio', { name: new RegExp(`^${name} ?(in use)?${host}`) }).waitFor();
    }
    await page.getByRole('radio', { name: /^Anthropic/ }).check();
    await page.getByLabel(/^Agent engine \(codex does not speak Anthropic Messages\)/).waitFor();
    await takePicture(page, 'provider-anthropic');
    await expectAccessible(page);
    await expectReachableByKeyboard(page);
  });

  it('has a model chosen from the list that the provider gives', async () => {
    await page.getByRole('radio', { name: /^Custom endpoint/ }).check();
    await page.getByLabel('Format').selectOption('messages');
    await field('Base URL').fill(other.url);
    await field('API key').fill(KEY);
    await connect();
    await step().getByText('The provider offers 60 models. Choose one.').waitFor();
    expect(await open.bench.client.must('GET', '/secrets')).toMatchObject({ keys: [] });
    await field('Model').fill('l-5');
    const suggestions = step().getByRole('list', { name: 'Suggestions' });
    await expect.poll(() => suggestions.getByRole('button').count()).toBe(11);
    await takePicture(page, 'provider-choose-model');
    await expectAccessible(page);
    await page.setViewportSize(PHONE);
    await suggestions.scrollIntoViewIfNeeded();
    await takePicture(page, 'provider-choose-model-phone');
    await page.setViewportSize(DESK);
    await suggestions.getByRole('button', { name: 'model-51' }).click();
    // What is done leads on; the repository is still to be named.
    await page.getByRole('heading', { name: 'Repository', level: 2 }).waitFor();
    await page.goto('/setup?step=provider');
    await header('Done').waitFor();
    expect(await providerOf()).toMatchObject({
      wireApi: 'messages',
      model: 'model-51',
      hasKey: true,
      warning: null,
      baseUrl: other.url,
    });
    expect(await page.content()).not.toContain(KEY);
  });

  it('takes a misspelt model only when it is meant, with a warning that stays', async () => {
    await field('Model').fill('modle-51');
    await connect();
    const words = `modle-51 is not among the 60 models that ${new URL(other.url).host} offers; nothing is saved yet.`;
    await step().locator('.note.warning').filter({ hasText: words }).waitFor();
    expect(await field('Model').getAttribute('aria-invalid')).toBe('true');
    expect(await providerOf()).toMatchObject({ model: 'model-51' });
    await page.getByRole('button', { name: 'Use modle-51 anyway' }).click();
    await header('Done, with a warning').waitFor();
    const warning = /^The model modle-51 is not among the 60 models/;
    await step().getByText(warning).waitFor();
    await takePicture(page, 'provider-warning');
    await expectAccessible(page);
    await page.reload();
    await step().getByText(warning).waitFor();
    await page.goto('/');
    await page.locator('.overview').getByText(warning).waitFor();
    await takePicture(page, 'overview-model-warning');
    await page.goto('/engine');
    await page.locator('.engine-card').getByText(warning).first().waitFor();
  });

  it('leads back, to a provider of another format and with the key that it had', async () => {
    const { provider, apiKey, client } = open.bench;
    await page.goto('/setup?step=provider');
    await page.getByLabel('Format').selectOption('chat');
    await field('Base URL').fill(provider.url);
    await field('Model').fill('scripted-model');
    await field('API key').fill(apiKey);
    await connect();
    await header('Done').waitFor();
    await expect.poll(providerOf).toMatchObject({ wireApi: 'chat', warning: null });
    await page.getByLabel('Format').selectOption('messages');
    await field('Base URL').fill(other.url);
    await field('Model').fill('model-7');
    await connect();
    await expect.poll(providerOf).toMatchObject({ baseUrl: other.url, model: 'model-7' });
    await header('Done').waitFor();
    expect(await client.must<{ keys: string[] }>('GET', '/secrets')).toMatchObject({
      keys: { length: 2 },
    });
    await page.getByRole('radio', { name: /^OpenAI ?api/ }).check();
    await field('API key').waitFor();
    expect(open.problems).toEqual([]);
  });
});
