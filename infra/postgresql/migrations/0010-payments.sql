-- One row for each payment that somebody may pay with once: the authorization of a payer on a network, by its nonce.
create table civic.payments (
  payment_id uuid primary key,
  network text collate "C" not null,
  asset text collate "C" not null,
  payer text collate "C" not null,
  nonce text collate "C" not null,
  account_id uuid not null,
  key_id uuid not null,
  tool text collate "C" not null,
  request_hash text collate "C" not null,
  terms_hash text collate "C" not null,
  price_version text collate "C" not null,
  amount numeric(78, 0) not null check (amount > 0),
  pay_to text collate "C" not null,
  valid_before bigint not null,
  budget_day date not null,
  state text not null,
  lease_owner uuid,
  lease_until bigint,
  payload text,
  result text,
  result_hash text collate "C",
  cause text,
  tx_hash text collate "C",
  receipt text,
  settle_attempts integer not null default 0,
  look_at bigint not null default 0,
  created_at bigint not null,
  updated_at bigint not null,
  settled_at bigint,
  facts_after bigint not null,
  verified_told boolean not null default false,
  outcome_told boolean not null default false,
  constraint payments_once unique (network, asset, payer, nonce),
  constraint payments_lower_case check (asset = lower(asset) and payer = lower(payer) and nonce = lower(nonce)),
  constraint payments_state check (state in ('RESERVED', 'VERIFIED', 'RESULT_SAVED', 'SETTLING', 'SETTLED',
    'READ_FAILED', 'READ_EMPTY', 'SETTLE_FAILED', 'LAPSED', 'RECONCILE')),
  constraint payments_lease check ((lease_owner is null) = (lease_until is null)),
  constraint payments_lease_state check (
    case when state in ('RESERVED', 'VERIFIED', 'RESULT_SAVED', 'SETTLING') then lease_owner is not null
      when state = 'RECONCILE' then true
      else lease_owner is null end),
  constraint payments_payload check ((payload is not null) = (state in ('RESERVED', 'VERIFIED', 'RESULT_SAVED', 'SETTLING', 'RECONCILE'))),
  constraint payments_result check (
    case when state in ('RESULT_SAVED', 'SETTLING', 'RECONCILE') then result is not null and result_hash is not null
      when state = 'SETTLED' then result_hash is not null
      else result is null end),
  constraint payments_result_bytes check (octet_length(result) <= 16384),
  constraint payments_settled check (
    case when state = 'SETTLED' then settled_at is not null and tx_hash is not null else settled_at is null and receipt is null end),
  constraint payments_written_ahead check (state not in ('SETTLING', 'SETTLED', 'SETTLE_FAILED', 'RECONCILE') or settle_attempts > 0),
  constraint payments_not_billed_cause check (state not in ('READ_FAILED', 'SETTLE_FAILED', 'LAPSED', 'RECONCILE') or cause is not null)
);
comment on column civic.payments.amount is 'Smallest units of the asset.';
comment on column civic.payments.valid_before is 'Milliseconds since the epoch, like every time here; leases and validity by the clock that the chain lives by.';
comment on column civic.payments.payload is 'The signed authorization: as secret as a password until it is settled or has lapsed, and gone then.';
comment on column civic.payments.facts_after is 'Revision of the account''s stream before any event about this row.';

create index payments_unfinished on civic.payments (lease_until) where state in ('RESERVED', 'VERIFIED', 'RESULT_SAVED', 'SETTLING');
create index payments_unknown on civic.payments (look_at) where state = 'RECONCILE';
create index payments_untold on civic.payments (updated_at)
  where (not verified_told and state <> 'RESERVED')
    or (not outcome_told and state in ('SETTLED', 'READ_FAILED', 'READ_EMPTY', 'SETTLE_FAILED', 'LAPSED'));
create index payments_kept on civic.payments (settled_at) where state = 'SETTLED' and result is not null;
create index payments_by_time on civic.payments (created_at);

-- What may follow what; a row that has ended only forgets its result and remembers what was told of it.
create function civic.refuse_payment_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.state not in ('RESERVED', 'VERIFIED') then
      raise exception 'a payment that is % is never forgotten', old.state using errcode = 'CR003';
    end if;
    return old;
  end if;
  if (new.payment_id, new.network, new.asset, new.payer, new.nonce, new.account_id, new.key_id, new.tool, new.request_hash, new.terms_hash,
      new.price_version, new.amount, new.pay_to, new.valid_before, new.budget_day, new.created_at, new.facts_after)
    is distinct from
     (old.payment_id, old.network, old.asset, old.payer, old.nonce, old.account_id, old.key_id, old.tool, old.request_hash, old.terms_hash,
      old.price_version, old.amount, old.pay_to, old.valid_before, old.budget_day, old.created_at, old.facts_after) then
    raise exception 'what a payment is for never changes' using errcode = 'CR003';
  end if;
  if new.state <> old.state and not (
    case old.state
      when 'RESERVED' then new.state in ('VERIFIED')
      when 'VERIFIED' then new.state in ('RESULT_SAVED', 'READ_FAILED', 'READ_EMPTY')
      when 'RESULT_SAVED' then new.state in ('SETTLING', 'LAPSED')
      when 'SETTLING' then new.state in ('SETTLED', 'SETTLE_FAILED', 'RECONCILE')
      when 'RECONCILE' then new.state in ('SETTLED', 'SETTLE_FAILED')
      else false
    end) then
    raise exception 'a payment that is % does not become %', old.state, new.state using errcode = 'CR003';
  end if;
  if new.state = 'SETTLING' and old.state <> 'SETTLING' and new.updated_at >= new.valid_before then
    raise exception 'nothing is settled after it was valid' using errcode = 'CR003';
  end if;
  if new.state = 'LAPSED' and old.state <> 'LAPSED' and new.updated_at < new.valid_before then
    raise exception 'a payment that is still valid has not lapsed' using errcode = 'CR003';
  end if;
  if new.settle_attempts < old.settle_attempts then
    raise exception 'attempts are not taken back' using errcode = 'CR003';
  end if;
  if old.result is not null and new.result is not null and new.result is distinct from old.result then
    raise exception 'a saved result never changes' using errcode = 'CR003';
  end if;
  if old.state in ('SETTLED', 'READ_FAILED', 'READ_EMPTY', 'SETTLE_FAILED', 'LAPSED') and
     (new.result_hash, new.cause, new.tx_hash, new.settled_at, new.settle_attempts)
     is distinct from (old.result_hash, old.cause, old.tx_hash, old.settled_at, old.settle_attempts) then
    raise exception 'a payment that has ended never changes' using errcode = 'CR003';
  end if;
  return new;
end
$$;

create trigger payments_go_forward before update or delete on civic.payments
  for each row execute function civic.refuse_payment_change();

-- What is reserved or settled of a day's budget; `spender` is an account's id or 'service'.
create table civic.payment_budgets (
  day date not null,
  spender text collate "C" not null,
  reserved numeric(78, 0) not null check (reserved >= 0),
  primary key (day, spender)
);

-- Whose wallet a payer is: that of the account that first settled a payment with it.
create table civic.payment_wallets (
  network text collate "C" not null,
  payer text collate "C" not null check (payer = lower(payer)),
  account_id uuid,
  barred boolean not null default false,
  changed_at bigint not null,
  primary key (network, payer)
);
