import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { takePicture } from '../support/browser/take-picture.ts';

const START_TIMEOUT_MS = 180_000;
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
/** Every value that an automation may have. */
const FULL = {
  name: 'health',
  schedule: '*/15 8-18 * * 1-5',
  timeZone: 'Europe/Berlin',
  mode: 'report',
  enabled: true,
  title: 'State of the tests',
  prompt: 'Which tests are flaky?\n\nSay why.',
  labels: ['chore', 'with, comma'],
  priority: 2,
  repo: 'https://git.example/not/set-any-more.git',
  missedRunPolicy: 'skip',
  missedRunGraceMs: 90_001,
};

let open: OpenDashboard;
let page: Page;
beforeAll(async () => {
  open = await openDashboard({ script: fixFailingTest(), mayRefuse: true });
  ({ page } = open);
}, START_TIMEOUT_MS);
afterAll(() => open?.close());

const load = async (path: string) => {
  await page.goto(path);
  await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
};
const button = (name: string) => page.getByRole('button', { name, exact: true });
const dialog = (name: string) => page.getByRole('dialog', { name });
/** Of the list itself, not of what came of it. */
const row = (text: string) =>
  page.locator('.automations > li, .alerts > li').filter({ hasText: text });
const said = (text: string) => page.locator('.toast').filter({ hasText: text }).last().waitFor();
const set = (path: string, value: unknown) =>
  open.bench.client.must('PATCH', `/config/overlay/${path}`, { value });
type Config = { automations: Record<string, unknown>[]; alerts: { rules: unknown[] } };
const config = () => open.bench.client.must<Config>('GET', '/config');

type Node = { properties?: Record<string, Node>; items?: Node };
/** Paths of all values of an entry of a list, as the schema has them. */
async function pathsOf(...keys: string[]): Promise<string[]> {
  const schema = await open.bench.client.must<Node>('GET', '/config/schema');
  const list = keys.reduce<Node | undefined>((node, key) => node?.properties?.[key], schema);
  const leaves = (path: string, node: Node): string[] =>
    node.properties === undefined
      ? [path]
      : Object.entries(node.properties).flatMap(([key, inner]) =>
          leaves(path === '' ? key : `${path}.${key}`, inner),
        );
  return leaves('', list?.items ?? {}).toSorted();
}
const fieldNames = () =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('dialog [name]')].map((f) => f.name).sort()`,
  );
const widthBesides = () =>
  page.evaluate<number>(
    `document.documentElement.scrollWidth - document.documentElement.clientWidth`,
  );
const dialogWidthBesides = () =>
  page.evaluate<number>(
    `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('dialog[open]'))`,
  );

describe('an automation', () => {
  const form = () => dialog('New automation');
  const cron = () => form().getByLabel('Schedule (cron expression)');

  it('is made in a form that has every value of the schema, and survives a reload', async () => {
    await page.setViewportSize(DESK);
    await load('/automations');
    await page.getByText('No automations').waitFor();
    await button('Add an automation').click();
    expect(await fieldNames()).toEqual(await pathsOf('automations'));
    await form().getByLabel('Name', { exact: true }).fill('nightly deps');
    await form().getByLabel('Time zone').fill('Europe/Berlin');
    await form().getByText('Every weekday at 09:00, Europe/Berlin').waitFor();
    await form().getByLabel('Repeats').selectOption('Every week');
    await form().getByRole('combobox', { name: 'On', exact: true }).selectOption('Tuesday');
    await form().getByLabel('At', { exact: true }).fill('07:30');
    expect(await cron().inputValue()).toBe('30 7 * * 2');
    await form().getByText('Every Tuesday at 07:30, Europe/Berlin').waitFor();
    await form().getByLabel('What to do').fill('Update what is outdated.');
    await expectAccessible(page);
    await takePicture(page, 'automation-form');
    await load('/automations');
    await button('New automation').click();
    await expect.poll(() => cron().inputValue()).toBe('30 7 * * 2');
    expect(await form().getByLabel('What to do').inputValue()).toBe('Update what is outdated.');
    await form().getByText('Every Tuesday at 07:30, Europe/Berlin').waitFor();
    expect(await form().getByLabel('At', { exact: true }).inputValue()).toBe('07:30');
  });

  it('that the service refuses says so at its fields, and nothing is saved', async () => {
    await cron().fill('30 25 * * 2');
    await form().getByRole('button', { name: 'Save' }).click();
    const name = form().getByLabel('Name', { exact: true });
    await form().locator('[name=name]:focus').waitFor();
    for (const [field, words] of [
      [name, 'letters, digits'],
      [cron(), 'Invalid value for hour: 25'],
    ] as const) {
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      const about = await field.getAttribute('aria-describedby');
      expect(await page.locator(`[id="${about}"]`).innerText()).toContain(words);
    }
    await takePicture(page, 'automation-refused');
    expect((await config()).automations).toEqual([]);
    await name.fill('nightly-deps');
    await cron().fill('30 7 * * 2');
    await form().getByRole('button', { name: 'Save' }).click();
    await said('nightly-deps saved');
    await form().waitFor({ state: 'detached' });
    await row('nightly-deps').getByText('Every Tuesday at 07:30, Europe/Berlin').waitFor();
    await row('nightly-deps')
      .getByText(/next in \d/)
      .waitFor();
    expect((await config()).automations).toMatchObject([
      {
        name: 'nightly-deps',
        schedule: '30 7 * * 2',
        timeZone: 'Europe/Berlin',
        mode: 'implement',
        prompt: 'Update what is outdated.',
        enabled: true,
        missedRunGraceMs: 3_600_000,
      },
    ]);
    // It is no draft any more.
    await button('New automation').click();
    expect(await form().getByLabel('Name', { exact: true }).inputValue()).toBe('');
    await form().getByRole('button', { name: 'Cancel' }).click();
  });

  it('keeps all that is not changed, and the others as they are by then', async () => {
    const [first] = (await config()).automations;
    await set('automations', [first, FULL]);
    await row('health').getByText('*/15 8-18 * * 1-5').waitFor();
    await button('Edit health').click();
    const edit = dialog('Edit health');
    await edit.getByText('Minute, hour, day of the month').waitFor();
    await edit.getByLabel('Title of the issue').fill('Flaky tests');
    await takePicture(page, 'automation-edited');
    const renamed = { ...first, title: 'Meanwhile' };
    await set('automations', [renamed, FULL]);
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.waitFor({ state: 'detached' });
    expect((await config()).automations).toEqual([renamed, { ...FULL, title: 'Flaky tests' }]);
  });

  it('that another person has changed meanwhile is not overwritten', async () => {
    await button('Edit health').click();
    const edit = dialog('Edit health');
    await edit.getByLabel('Title of the issue').fill('Mine');
    const [first, second] = (await config()).automations;
    await set('automations', [first, { ...second, title: 'Theirs' }]);
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.getByRole('alert').getByText('was changed or removed meanwhile').waitFor();
    expect((await config()).automations[1]).toMatchObject({ title: 'Theirs' });
    await edit.getByRole('button', { name: 'Discard draft' }).click();
    await edit.getByRole('button', { name: 'Cancel' }).click();
  });

  it('is disabled, enabled and removed in its row', async () => {
    await button('Disable nightly-deps').click();
    await said('nightly-deps is disabled');
    await row('nightly-deps').getByText('next never').waitFor();
    await takePicture(page, 'automations');
    await button('Enable nightly-deps').click();
    await said('nightly-deps is enabled');
    await row('nightly-deps')
      .getByText(/next in \d/)
      .waitFor();
    await button('Remove health').click();
    await dialog('Remove the automation health?').getByRole('button', { name: 'Remove' }).click();
    await row('health').waitFor({ state: 'detached' });
    expect((await config()).automations.map(({ name }) => name)).toEqual(['nightly-deps']);
  });

  it('is edited on a phone, with keys alone', async () => {
    await page.setViewportSize(PHONE);
    await load('/automations');
    expect(await widthBesides()).toBe(0);
    await takePicture(page, 'automations-phone');
    await button('Edit nightly-deps').focus();
    await page.keyboard.press('Enter');
    const edit = dialog('Edit nightly-deps');
    await edit.waitFor();
    expect(await dialogWidthBesides()).toBe(0);
    await takePicture(page, 'automation-form-phone');
    await expectAccessible(page);
    await edit.getByLabel('Title of the issue').focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('By keys');
    await page.keyboard.press('Enter');
    await edit.waitFor({ state: 'detached' });
    expect((await config()).automations).toMatchObject([{ title: 'By keys' }]);
  });

  it('can still be written as JSON', async () => {
    await page.getByRole('link', { name: 'Edit as JSON' }).click();
    const text = page.getByRole('textbox', { name: 'automations' });
    await expect.poll(() => text.inputValue()).toContain('"title": "By keys"');
    await page.getByRole('link', { name: 'Edit as a form' }).click();
    await row('nightly-deps').waitFor();
  });
});

describe('an alert rule', () => {
  const form = () => dialog('New alert rule');

  it('is made in a form that has every value of the schema', async () => {
    await page.setViewportSize(DESK);
    await load('/alerts');
    await page.getByText('No alert rules').waitFor();
    await button('Add a rule').click();
    expect(await fieldNames()).toEqual(await pathsOf('alerts', 'rules'));
    await form().getByLabel('Name', { exact: true }).fill('many failures');
    await form().getByLabel('Threshold', { exact: true }).fill('5');
    await form().getByLabel('Looks back (minutes)').fill('10');
    await takePicture(page, 'rule-form');
    await expectAccessible(page);
    await form().getByRole('button', { name: 'Save' }).click();
    await row('many failures')
      .getByText('Fires when at least 5 × attempt.ended (failed) within 10 min')
      .waitFor();
  });

  it('is refused at the field that is wrong', async () => {
    await button('New rule').click();
    await form().getByLabel('Name', { exact: true }).fill('many failures');
    await form().getByRole('button', { name: 'Save' }).click();
    await form().getByText('a rule is named many failures already').waitFor();
    await form().locator('[name=name]:focus').waitFor();
    expect((await config()).alerts.rules).toHaveLength(1);
  });

  it('watches a measurement, and then has nothing of events', async () => {
    await form().getByLabel('Name', { exact: true }).fill('no runner');
    await form().getByLabel('Watches').selectOption('Connected runners');
    await form().getByLabel('Type of event').waitFor({ state: 'hidden' });
    await form().getByLabel('Fires when it is').selectOption('At most the threshold');
    await form().getByLabel('Threshold', { exact: true }).fill('0');
    await form().getByRole('button', { name: 'Save' }).click();
    await row('no runner').getByText('Fires when runners connected is at most 0').waitFor();
    expect((await config()).alerts.rules[1]).toMatchObject({
      name: 'no runner',
      condition: { gauge: 'runners_connected', comparison: 'at_most' },
      threshold: 0,
    });
    await takePicture(page, 'alerts');
  });

  it('is disabled and removed on a phone', async () => {
    await page.setViewportSize(PHONE);
    await load('/alerts');
    expect(await widthBesides()).toBe(0);
    await button('Disable no runner').click();
    await row('no runner').getByText('Disabled', { exact: true }).waitFor();
    await takePicture(page, 'alerts-phone');
    await button('Edit many failures').click();
    expect(await dialogWidthBesides()).toBe(0);
    await takePicture(page, 'rule-form-phone');
    await page.keyboard.press('Escape');
    await button('Remove many failures').click();
    await dialog('Remove the rule many failures?').getByRole('button', { name: 'Remove' }).click();
    await row('many failures').waitFor({ state: 'detached' });
    expect((await config()).alerts.rules).toMatchObject([{ name: 'no runner', enabled: false }]);
  });
});

it('says that the configuration cannot be read, and offers to try again', async () => {
  await page.route('**/api/v1/config', (route) =>
    route.fulfill({ status: 503, json: { error: 'the database is away', code: 'unavailable' } }),
  );
  await load('/alerts');
  await page.getByRole('alert').getByText('the database is away').first().waitFor();
  await load('/automations');
  await row('nightly-deps').waitFor();
  expect(await button('New automation').isDisabled()).toBe(true);
  await page.unrouteAll({ behavior: 'wait' });
  expect(open.problems).toEqual([]);
});
