import { HostRule } from '@switchyard/shared/sandbox/host-rule';
import { describe, expect, it } from 'vitest';
import { addressKind } from './address-kind.ts';
import { matchesHostRule } from './host-rule.ts';

describe('host rules', () => {
  it('lets a star stand for exactly one label', () => {
    const rules = ['*.example.org', 'api.example.com:8443', '[2001:db8::1]:80'];
    expect(matchesHostRule(rules, 'A.example.org.', 443)).toBe(true);
    expect(matchesHostRule(rules, 'a.b.example.org', 443)).toBe(false);
    expect(matchesHostRule(rules, 'example.org', 443)).toBe(false);
    expect(matchesHostRule(rules, 'a.example.org', 22)).toBe(false);
    expect(matchesHostRule(rules, 'api.example.com', 443)).toBe(false);
    expect(matchesHostRule(rules, 'api.example.com', 8443)).toBe(true);
    expect(matchesHostRule(rules, '2001:db8::1', 80)).toBe(true);
  });

  it('accepts hosts and addresses, and no star that opens a whole top level', () => {
    const good = ['a.example.org', '*.example.org', 'x.*.example.org:8080', '10.0.0.1:4873', 'localhost', '[::1]:80', '*.s3.example.org']; // prettier-ignore
    const bad = ['*', '*.org', '*.com:443', 'a b', 'http://a.org', 'a.org/x', '-a.org', 'a.*.org', 'a.org:0', 'fo*.a.org']; // prettier-ignore
    expect(good.filter((text) => !HostRule.safeParse(text).success)).toEqual([]);
    expect(bad.filter((text) => HostRule.safeParse(text).success)).toEqual([]);
  });
});

describe('address kinds', () => {
  it('knows what is on the public internet', () => {
    const kinds = Object.fromEntries(
      [
        '1.2.3.4',
        '10.0.0.1',
        '127.8.8.8',
        '172.31.0.1',
        '192.168.1.1',
        '100.64.0.1',
        '169.254.169.254',
        '100.100.100.200',
        '0.0.0.0',
        '224.0.0.1',
        '2a00::1',
        '::1',
        'fe80::1',
        'fd12::1',
        'fd00:ec2::254',
        '::ffff:10.0.0.1',
        '::ffff:7f00:1',
        '64:ff9b::a00:1',
        '2002:a00:1::',
        '2001:db8::1',
        'nonsense',
      ].map((address) => [address, addressKind(address)]),
    );
    const publicOnes = Object.entries(kinds).filter(([, kind]) => kind === 'public');
    expect(publicOnes.map(([address]) => address)).toEqual(['1.2.3.4', '2a00::1']);
    const metadata = Object.entries(kinds).filter(([, kind]) => kind === 'metadata');
    expect(metadata.map(([address]) => address)).toEqual([
      '169.254.169.254',
      '100.100.100.200',
      'fe80::1',
      'fd00:ec2::254',
    ]);
  });
});
