import { expect, it } from 'vitest';
import { createDeliveryInbox } from './create-delivery-inbox.ts';
import type { NewDelivery } from './store-delivery.ts';

const delivery = (deliveryId: string): NewDelivery => ({
  provider: 'tracker',
  deliveryId,
  event: 'Issue.update',
  body: '{}',
  requestId: null,
});

/** An inbox, what it had stored in one go each, and deliveries that are read when they are told to. */
function setUp() {
  const groups: string[][] = [];
  const inbox = createDeliveryInbox(async (deliveries) => {
    groups.push(deliveries.map(({ deliveryId }) => deliveryId));
    return deliveries.map(({ deliveryId }) => deliveryId !== 'old');
  });
  const reading = (id: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<NewDelivery>();
    return { stored: inbox(() => promise), read: () => resolve(delivery(id)), reject };
  };
  return { groups, inbox, reading };
}

it('stores one that comes alone at once', async () => {
  const { groups, inbox } = setUp();
  expect(await inbox(async () => delivery('a'))).toBe(true);
  expect(groups).toEqual([['a']]);
});

it('stores together what is read at the same time, and answers each for itself', async () => {
  const { groups, reading } = setUp();
  const all = ['a', 'old', 'b'].map(reading);
  for (const { read } of all) read();
  expect(await Promise.all(all.map(({ stored }) => stored))).toEqual([true, false, true]);
  expect(groups).toEqual([['a', 'old', 'b']]);
});

it('waits for a slow sender only a moment', async () => {
  const { groups, reading } = setUp();
  const slow = reading('slow');
  const quick = reading('quick');
  quick.read();
  expect(await quick.stored).toBe(true);
  expect(groups).toEqual([['quick']]);
  slow.read();
  expect(await slow.stored).toBe(true);
});

it('lets one that is refused hold up nobody, and tells why', async () => {
  const { groups, reading } = setUp();
  const bad = reading('bad');
  const good = reading('good');
  good.read();
  bad.reject(new Error('not signed'));
  await expect(bad.stored).rejects.toThrow('not signed');
  expect(await good.stored).toBe(true);
  expect(groups).toEqual([['good']]);
});

it('tells everybody when the group cannot be stored', async () => {
  const inbox = createDeliveryInbox(async () => {
    throw new Error('disk full');
  });
  const both = ['a', 'b'].map((id) => inbox(async () => delivery(id)));
  const settled = await Promise.allSettled(both);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
