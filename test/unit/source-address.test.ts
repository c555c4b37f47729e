import { expect, test } from 'vitest';
import { sourceAddress, sourceAddressKey } from '../../domain/source-url.ts';

const PAGE = 'https://cityofdallas.legistar.com/MeetingDetail.aspx?LEGID=2526';

test.each([
  'http://cityofdallas.legistar.com/MeetingDetail.aspx?LEGID=2526',
  'HTTPS://CityOfDallas.Legistar.com:443/MeetingDetail.aspx?LEGID=2526',
  'https://cityofdallas.legistar.com./MeetingDetail.aspx?LEGID=2526#items',
  'https://cityofdallas.legistar.com/%4DeetingDetail.aspx/?LEGID=%32526&Search=',
  '  https://cityofdallas.legistar.com/MeetingDetail.aspx?&LEGID=2526& ',
])('%s equals the plain address', (text) => {
  expect(sourceAddress(text)).toBe('cityofdallas.legistar.com/MeetingDetail.aspx?LEGID=2526');
  expect(sourceAddressKey(text)).toBe(sourceAddressKey(PAGE));
});

test.each([
  'https://cityofdallas.legistar.com/MeetingDetail.aspx?LEGID=2527',
  'https://cityofdallas.legistar.com/meetingdetail.aspx?LEGID=2526',
  'https://fortworthgov.legistar.com/MeetingDetail.aspx?LEGID=2526',
  'https://cityofdallas.legistar.com:8443/MeetingDetail.aspx?LEGID=2526',
  'https://cityofdallas.legistar.com/MeetingDetail.aspx?LEGID=2526&ID=1',
  'https://cityofdallas.legistar.com/MeetingDetail.aspx%2F?LEGID=2526',
])('%s is another page', (text) => expect(sourceAddressKey(text)).not.toBe(sourceAddressKey(PAGE)));

test('the order of parameters does not matter, their values do', () => {
  expect(sourceAddress('https://a.org/x?b=2&a=1')).toBe(sourceAddress('https://a.org/x?a=1&b=2'));
  expect(sourceAddress('https://a.org/x?b=1&a=2')).not.toBe(sourceAddress('https://a.org/x?a=1&b=2'));
});

test.each(['', 'x', 'ftp://a.org/x', 'javascript:alert(1)', 'https://'])('%j is not an address', (text) =>
  expect(sourceAddress(text)).toBeNull(),
);
