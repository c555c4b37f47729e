import type { AgendaFacts } from '../../../domain/agenda-facts/facts.ts';
import * as agendaHeading from '../../../domain/agenda/heading.ts';
import * as agendaKinds from '../../../domain/agenda/kinds.ts';
import * as agendaNotices from '../../../domain/agenda/notices.ts';
import * as agendaNumbers from '../../../domain/agenda/numbers.ts';
import * as agendaSteps from '../../../domain/agenda/steps.ts';
import * as factAmounts from '../../../domain/agenda-facts/amounts.ts';
import * as factCases from '../../../domain/agenda-facts/districts-and-cases.ts';
import * as mainFacts from '../../../domain/agenda-facts/main-facts.ts';
import * as factParties from '../../../domain/agenda-facts/parties.ts';
import * as factPlaces from '../../../domain/agenda-facts/places.ts';
import * as factTokens from '../../../domain/agenda-facts/tokens.ts';
import * as readAgenda from '../../../domain/agenda-text/read-agenda.ts';
import * as decisionWords from '../../../domain/decisions/decision-words.ts';
import * as htmlText from '../../../domain/text/html-text.ts';
import * as keySecret from '../../../domain/key-secret.ts';
import * as logAddress from '../../../plumbing/log-address.ts';
import * as visibleText from '../../../plumbing/visible-text.ts';
import * as matterFile from '../../../domain/agenda/matter-file.ts';
import * as plainIssues from '../../../domain/text/plain-issues.ts';
import * as plainRecord from '../../../domain/records/plain-record.ts';
import * as referenceNumbers from '../../../domain/reference-numbers.ts';
import * as rtfText from '../../../domain/text/rtf-text.ts';
import * as sourceText from '../../../domain/text/source-text.ts';
import * as sourceUrl from '../../../domain/source-url.ts';
import * as words from '../../../domain/text/words.ts';
import * as questionAmounts from '../../../queries/search/question/amounts.ts';
import * as questionDays from '../../../queries/search/question/days.ts';
import * as typedWords from '../../../queries/search/question/typed-words.ts';
import * as searchGuidance from '../../../queries/search/search-guidance.ts';
import * as searchQuery from '../../../queries/search/search-query.ts';
import * as keywords from '../../../src/classifier/keywords.ts';
import { SHIPPED } from '../../../src/classifier/topic-hits.ts';
import * as topicFeatures from '../../../src/classifier/topics/features.ts';
import * as topicWords from '../../../src/classifier/topics/words.ts';
import * as proposedAction from '../../../src/classifier/proposed-action.ts';
import * as itemStanding from '../../../src/classifier/stage/item-standing.ts';
import * as nextStep from '../../../src/classifier/stage/next-step.ts';
import * as participation from '../../../src/classifier/stage/participation.ts';
import * as procedure from '../../../src/classifier/stage/procedure.ts';
import * as stageWords from '../../../src/classifier/stage/stage-words.ts';
import * as businessImpact from '../../../src/classifier/texts/business-impact.ts';
import * as clauses from '../../../src/classifier/texts/clauses.ts';
import * as evidenceQuote from '../../../src/classifier/texts/evidence-quote.ts';
import * as sentences from '../../../src/classifier/texts/sentences.ts';
import * as summary from '../../../src/classifier/texts/summary.ts';
import * as titleWords from '../../../src/classifier/texts/title-words.ts';
import * as guideSearch from '../../../src/edge/pages/guide-search.ts';
import * as html from '../../../src/edge/pages/html.ts';
import * as markedText from '../../../src/edge/pages/marked-text.ts';
import * as quoteTexts from '../../../src/edge/pages/quote-texts.ts';
import * as verdict from '../../../src/processors/reactors/reports/verdict.ts';
import { runAtOnce } from '../../../domain/text/steps.ts';
import * as agendaRows from '../../../src/sources/civicweb/agenda-rows.ts';
import * as tableRows from '../../../src/sources/civicweb/table-rows.ts';
import * as bodyNames from '../../../src/sources/agendas/body-names.ts';
import * as sourceReasons from '../../../src/sources/check-reasons.ts';
import * as erasureSearch from '../../../commands/erasure/find-text.ts';
import * as clockTime from '../../../src/sources/agendas/notices/clock-time.ts';
import * as namedDays from '../../../src/sources/agendas/notices/named-days.ts';
import * as noticeSubject from '../../../src/sources/agendas/notices/notice-subject.ts';
import * as notices from '../../../src/sources/agendas/notices/notices.ts';
import * as outcomes from '../../../src/sources/agendas/outcomes.ts';
import * as publication from '../../../src/sources/agendas/publication.ts';
import * as sharedBodies from '../../../src/sources/agendas/shared-bodies.ts';
import * as spanishNotices from '../../../src/sources/agendas/notices/spanish-notices.ts';
import * as values from '../../../src/sources/agendas/values.ts';
import * as civicClerkItems from '../../../src/sources/civicclerk/agenda-items.ts';
import * as bodyWords from '../../../src/sources/pages/body-words.ts';
import * as itemNumber from '../../../src/sources/pages/item-number.ts';
import * as titleDays from '../../../src/sources/pages/title-days.ts';
import * as joinRows from '../../../src/sources/pages/join-rows.ts';
import * as listedReader from '../../../src/sources/listed/listed-reader.ts';
import { shippedTaxonomy, topicRecord } from '../classifier-subjects.ts';
import {
  agendaRowOfText,
  bareItemOfText,
  documentOfText,
  eventOfText,
  rowOfText,
  subjectOfText,
} from './records-of-text.ts';

type Feed = (text: string) => unknown;

const storedCopyOf = (text: string) =>
  ({ texts: async () => [{ text, agenda: { items: [] }, sha256: '', address: '', meetingId: null }] }) as never;

const DAY = { day: '2026-03-03', timezone: 'America/Chicago' };
const factsOfRoad = (sourceText: string): AgendaFacts => ({
  ...factsOfParty(sourceText),
  places: [{ field: 'title', sourceText, offset: 0, name: null, kind: 'road_segment', use: 'affected' }],
});
const factsOfParty = (name: string): AgendaFacts => ({
  amounts: [],
  parties: [{ name, role: 'vendor', field: 'title', sourceText: name, offset: 0 }],
  places: [],
  districts: [],
  caseNumbers: [],
});
const OPEN = { kind: 'open', words: null } as const;
const MIDDLE = { start: 4_000, end: 4_010 };
const notice = (text: string) => ({ bodyName: text, title: text, day: DAY.day, sessions: true });

/**
 * Calls the functions of each module with a regular expression with foreign text; `null` for a function that
 * receives none.
 */
export const FED: Readonly<Record<string, Readonly<Record<string, Feed | null>>>> = {
  'domain/agenda-facts/amounts.ts': { amountsOf: (text) => factAmounts.amountsOf(factTokens.readingOf('text', text)) },
  'domain/agenda-facts/districts-and-cases.ts': {
    districtsOf: (text) => factCases.districtsOf(factTokens.readingOf('text', text)),
    caseNumbersOf: (text) => factCases.caseNumbersOf(factTokens.readingOf('text', text)),
  },
  'domain/agenda-facts/main-facts.ts': {
    mainAmount: null,
    mainParty: null,
    mainPlace: (text) => mainFacts.mainPlace(factsOfRoad(text)),
  },
  'domain/agenda-facts/parties.ts': { partiesOf: (text) => factParties.partiesOf(factTokens.readingOf('text', text)) },
  'domain/agenda-facts/places.ts': { placesOf: (text) => factPlaces.placesOf(factTokens.readingOf('text', text)) },
  'domain/agenda-facts/tokens.ts': {
    tokensOf: factTokens.tokensOf,
    readingOf: (text) => factTokens.readingOf('text', text),
    // Their tokens come from `tokensOf`, or their text from the program.
    isStop: null,
    phraseText: null,
    quote: null,
    phraseList: null,
    hasWord: null,
  },
  'domain/agenda/heading.ts': {
    isSectionTitle: agendaHeading.isSectionTitle,
    isSureSectionTitle: agendaHeading.isSureSectionTitle,
    isGroupTitle: agendaHeading.isGroupTitle,
    isHeadingTitle: agendaHeading.isHeadingTitle,
  },
  'domain/agenda/kinds.ts': {
    isBusiness: null,
    isBareHeading: (text) => agendaKinds.isBareHeading(bareItemOfText(text)),
    kindOfRow: (text) => agendaKinds.kindOfRow(agendaRowOfText(text)),
    readAgendaRows: (text) => agendaKinds.readAgendaRows([agendaRowOfText(text), agendaRowOfText(text)]),
  },
  'domain/agenda/notices.ts': {
    isLayoutMark: agendaNotices.isLayoutMark,
    beginsWithDeed: agendaNotices.beginsWithDeed,
    isMeetingNotice: agendaNotices.isMeetingNotice,
  },
  'domain/agenda/numbers.ts': {
    numberParts: agendaNumbers.numberParts,
    isPartOf: (text) => agendaNumbers.isPartOf(text, text),
    createNumberLevels: (text) => agendaNumbers.createNumberLevels([text])(text),
    isFirst: agendaNumbers.isFirst,
    isSectionNumber: agendaNumbers.isSectionNumber,
    withoutNumber: agendaNumbers.withoutNumber,
  },
  'domain/agenda-text/read-agenda.ts': {
    // Its text is a reason written in the program.
    unread: null,
    readAgenda: (text) => readAgenda.readAgenda(documentOfText(text)),
  },
  'domain/agenda/steps.ts': { isClosedSession: agendaSteps.isClosedSession, isStepTitle: agendaSteps.isStepTitle },
  'domain/decisions/decision-words.ts': {
    extractDecision: decisionWords.extractDecision,
    readDecision: (text) => decisionWords.readDecision(text, { flag: 'carried', title: text }),
    listNamedActs: decisionWords.listNamedActs,
  },
  'domain/text/html-text.ts': {
    tagsInSteps: (text) => runAtOnce(htmlText.tagsInSteps(text)),
    removeTags: htmlText.removeTags,
  },
  'domain/key-secret.ts': {
    makeKeySecret: null,
    isKeySecret: keySecret.isKeySecret,
    holdsKeySecret: keySecret.holdsKeySecret,
    withoutSecrets: keySecret.withoutSecrets,
    keySecretHash: keySecret.keySecretHash,
    notStorable: keySecret.notStorable,
  },
  'plumbing/log-address.ts': { isKurrentAddress: logAddress.isKurrentAddress },
  'plumbing/visible-text.ts': { visible: visibleText.visible },
  'domain/agenda/matter-file.ts': { matterKey: matterFile.matterKey },
  'domain/text/plain-issues.ts': {
    quoted: plainIssues.quoted,
    notOneOf: (text) => plainIssues.notOneOf(text, ['one']),
    issueText: (text) => plainIssues.issueText({ path: [text], message: text }),
  },
  'domain/records/plain-record.ts': { plainRecord: (text) => plainRecord.plainRecord({ text, title: text }) },
  'domain/reference-numbers.ts': { referenceNumbers: referenceNumbers.referenceNumbers },
  'domain/text/rtf-text.ts': { decodeRtf: rtfText.decodeRtf },
  'domain/text/source-text.ts': {
    beginningOf: (text) => sourceText.beginningOf(text, 7_000),
    cleanCharacters: sourceText.cleanCharacters,
    isMarked: sourceText.isMarked,
    decodeText: sourceText.decodeText,
    readSourceText: sourceText.readSourceText,
    plainText: sourceText.plainText,
  },
  'domain/source-url.ts': {
    sourceUrlRefusal: (text) => sourceUrl.sourceUrlRefusal(`https://a.example/${text}`),
    sourceAddress: (text) => sourceUrl.sourceAddress(`https://a.example/${text}`),
    sourceAddressKey: (text) => sourceUrl.sourceAddressKey(`https://a.example/${text}`),
    isPublicAddress: (text) => sourceUrl.isPublicAddress(`https://a.example/${text}`),
    // Its input is a parsed address.
    hasCredentials: null,
    sourceHost: (text) => sourceUrl.sourceHost(`https://${text}`),
  },
  'domain/text/words.ts': {
    titleWords: words.titleWords,
    // Reads lists of the program only.
    wordSet: null,
    isNumberWord: words.isNumberWord,
    titleKey: words.titleKey,
    unaccented: words.unaccented,
    straightQuotes: words.straightQuotes,
    plainDashes: words.plainDashes,
    plainAmounts: words.plainAmounts,
    spellableWords: words.spellableWords,
    // Compares two words of at most 30 letters.
    distance: null,
    cutAfter: (text) => words.cutAfter(text, 300),
  },
  'queries/search/question/amounts.ts': {
    amountRangeAt: (text) => typedWords.typedWords(text).map((_, at, all) => questionAmounts.amountRangeAt(all, at)),
  },
  'queries/search/question/days.ts': {
    dayRangeAt: (text) =>
      typedWords.typedWords(text).map((_, at, all) => questionDays.dayRangeAt(all, at, { today: 20_600, tense: null })),
  },
  'queries/search/question/typed-words.ts': {
    typedWords: typedWords.typedWords,
    wordAt: null,
  },
  'queries/search/search-guidance.ts': {
    searchGuidance: null,
    excerptOf: (text) => searchGuidance.excerptOf({ part: text, beginning: text, end: text }),
  },
  'queries/search/search-query.ts': { searchQuery: (text) => searchQuery.searchQuery(text, 2026) },
  'src/classifier/keywords.ts': {
    compileTopics: (text) => keywords.compileTopics([{ ...topicRecord('any', {}), keywords: [text] }]),
    keywordEvidence: (text) => keywords.keywordEvidence({ title: text, text, matterType: text }, shippedTaxonomy),
  },
  'src/classifier/topics/features.ts': {
    matterOf: topicFeatures.matterOf,
    withoutSides: topicFeatures.withoutSides,
    matterWords: topicFeatures.matterWords,
    phraseFeature: null,
    featuresOf: (text) =>
      topicFeatures.featuresOf(
        { title: text, text, matterType: text, bodyName: text, keywords: new Map() },
        SHIPPED.lexicon,
      ),
  },
  'src/classifier/topics/words.ts': { stemOf: topicWords.stemOf, wordsOf: topicWords.wordsOf },
  'src/classifier/proposed-action.ts': {
    proposedAction: (text) => proposedAction.proposedAction({ actionText: text }),
  },
  'src/classifier/stage/item-standing.ts': {
    meetingDay: null,
    standingOf: (text) => itemStanding.standingOf(subjectOfText(text)),
    meaningOfStanding: (text) => itemStanding.meaningOfStanding({ kind: 'handled', words: text, place: 'action' }),
  },
  'src/classifier/stage/next-step.ts': {
    nextStepOf: (text) => nextStep.nextStepOf([text], '2026-03-03', '2026-03-01'),
  },
  'src/classifier/stage/participation.ts': {
    participationOf: (text) =>
      participation.participationOf(subjectOfText(text), [text], { standing: OPEN, stage: 'unknown', hearing: null }),
  },
  'src/classifier/stage/procedure.ts': {
    proceduralContext: (text) => procedure.proceduralContext(subjectOfText(text), OPEN, text),
  },
  'src/classifier/stage/stage-words.ts': { stageOfWords: stageWords.stageOfWords },
  'src/classifier/texts/business-impact.ts': {
    businessImpactOf: (text) =>
      businessImpact.businessImpactOf(factsOfParty(text), subjectOfText(text), { kind: 'past', words: text }),
  },
  'src/classifier/texts/clauses.ts': { breaksOf: (text) => clauses.breaksOf(text, [MIDDLE]) },
  'src/classifier/texts/evidence-quote.ts': { evidenceQuote: (text) => evidenceQuote.evidenceQuote(text, MIDDLE) },
  'src/classifier/texts/sentences.ts': {
    isAbbreviation: (text) => sentences.isAbbreviation(text, MIDDLE.start, MIDDLE.end),
    isAside: sentences.isAside,
    sentencesOf: sentences.sentencesOf,
  },
  'src/classifier/texts/summary.ts': {
    shortened: (text) => summary.shortened(text, [MIDDLE]),
    summaryOf: (text) =>
      summary.summaryOf(subjectOfText(text), { proposed: text, standing: OPEN, stage: 'unknown', whole: [text] }),
  },
  'src/classifier/texts/title-words.ts': { titleWordsOf: titleWords.titleWordsOf },
  'src/edge/pages/guide-search.ts': { guideHits: (text) => guideSearch.guideHits([], text) },
  'src/edge/pages/html.ts': {
    printable: html.printable,
    html: (text) => html.html`<p>${text}</p>`.toString(),
    clipped: (text) => html.clipped(text, 300),
    bytesOf: null,
    fitting: null,
  },
  'src/edge/pages/marked-text.ts': {
    markedText: (text) => markedText.markedText(text, [text.slice(0, 100)]),
    quoteInText: (text) => markedText.quoteInText(text, text.slice(100, 500)),
    excerptAround: (text) => markedText.excerptAround(text, ['street', 'word']),
  },
  'src/edge/pages/quote-texts.ts': {
    headingOf: (text) => quoteTexts.headingOf(text, 300),
    wordsOfQuote: quoteTexts.wordsOfQuote,
    summaryAfterTitle: (text) => quoteTexts.summaryAfterTitle(text, text),
    hasName: (text) => quoteTexts.hasName(text, text),
    beyondHeading: (text) => quoteTexts.beyondHeading(text, text),
    hitTexts: (text) =>
      quoteTexts.hitTexts({ title: text, summary: text, evidenceQuote: text }, { title: 300, summary: 600 }),
    quoteBeyond: (text) => quoteTexts.quoteBeyond({ overlap: text, rest: text }, text),
  },
  'src/processors/reactors/reports/verdict.ts': { verdictOn: null, cut: (text) => verdict.cut(text, 1_000) },
  'src/sources/civicweb/agenda-rows.ts': {
    agendaRowsInSteps: (text) =>
      runAtOnce(agendaRows.agendaRowsInSteps(1, `<table><tr><td>A.</td><td>${text}</td></tr></table>`, 'sample')),
  },
  'src/sources/civicweb/table-rows.ts': {
    tableRowsInSteps: (text) => runAtOnce(tableRows.tableRowsInSteps(`<table><tr><td>${text}`)),
  },
  'src/sources/agendas/body-names.ts': { standingOf: bodyNames.standingOf },
  'src/sources/agendas/shared-bodies.ts': { bodyNameKey: (text) => sharedBodies.bodyNameKey(text, 'sample') },
  'src/sources/agendas/notices/clock-time.ts': {
    readTime: clockTime.readTime,
    isOwnZone: (text) => clockTime.isOwnZone(text, DAY),
  },
  'src/sources/agendas/notices/named-days.ts': {
    isOwnDay: (text) => namedDays.isOwnDay(text, DAY),
    isLaterDay: (text) => namedDays.isLaterDay(text, DAY),
    isEarlierDay: (text) => namedDays.isEarlierDay(text, DAY),
    isOtherDay: (text) => namedDays.isOtherDay(text, DAY),
  },
  'src/sources/agendas/notices/notice-subject.ts': {
    lowerCaseEnglish: noticeSubject.lowerCaseEnglish,
    simplify: noticeSubject.simplify,
    isAboutTheMeeting: (text) => noticeSubject.isAboutTheMeeting(text, { ...notice(text), isName: true }),
  },
  'src/sources/agendas/notices/notices.ts': {
    noticeIn: (text) => notices.noticeIn(text, notice(text)),
    noticeInComment: (text) => notices.noticeInComment(text, notice(text)),
    noticeInLocation: (text) => notices.noticeInLocation(text, notice(text)),
    noticeInStatusName: notices.noticeInStatusName,
  },
  'src/sources/agendas/outcomes.ts': {
    withFailedVote: (text) => outcomes.withFailedVote(text, { ...rowOfText(text), EventItemPassedFlagName: 'Fail' }),
    outcomeOf: (text) => outcomes.outcomeOf({ ...rowOfText(text), EventItemPassedFlagName: 'Pass' }),
  },
  'src/sources/agendas/publication.ts': {
    isAgendaPublished: (text) => publication.isAgendaPublished(eventOfText(text)),
    publicationTime: publication.publicationTime,
    whyEventIsHidden: (text) => publication.whyEventIsHidden(eventOfText(text)),
    areMinutesHidden: (text) => publication.areMinutesHidden(eventOfText(text)),
    isMatterHidden: (text) => publication.isMatterHidden(rowOfText(text)),
  },
  'src/sources/agendas/notices/spanish-notices.ts': { translateNotice: spanishNotices.translateNotice },
  'src/sources/check-reasons.ts': {
    checkReasons: (text) =>
      sourceReasons.checkReasons({ rejected: [], degraded: [], skipped: [{ what: text, id: text, reason: text }] }),
    sourceCheckOf: null,
    reasonLine: null,
  },
  'commands/erasure/find-text.ts': {
    findInEvent: null,
    findText: null,
    findInDocuments: (text) =>
      erasureSearch.findInDocuments(storedCopyOf(text), { text: 'name', ignoreCase: true }).next(),
  },
  'src/sources/agendas/values.ts': {
    oneLine: values.oneLine,
    shortLine: values.shortLine,
    meetingTitle: (text) => values.meetingTitle(text, 'City Council'),
    paragraphs: values.paragraphs,
    publicUrl: (text) => values.publicUrl(`https://a.example/${text}`),
    mediaTypeOf: values.mediaTypeOf,
    localDate: values.localDate,
    lastPlausibleDay: null,
    minutesOfDay: (text) => values.minutesOfDay(text, DAY),
    toTwelveHourTime: values.toTwelveHourTime,
    instantOf: null,
    utcStamp: values.utcStamp,
  },
  'src/sources/listed/listed-reader.ts': {
    derivedNumber: listedReader.derivedNumber,
    bodyNameIn: listedReader.bodyNameIn,
    meetingNameIn: listedReader.meetingNameIn,
    listedReader: null,
  },
  'src/sources/civicclerk/agenda-items.ts': {
    civicClerkItemsInSteps: (text) =>
      runAtOnce(
        civicClerkItems.civicClerkItemsInSteps({
          items: [{ id: 1, agendaObjectItemName: text, agendaObjectItemOutlineNumber: text }],
        }),
      ),
  },
  'src/sources/pages/body-words.ts': {
    bodyInTitle: bodyWords.bodyInTitle,
    bodyOfPapers: bodyWords.bodyOfPapers,
    bodyOfTitle: bodyWords.bodyOfTitle,
    isGenericBody: bodyWords.isGenericBody,
  },
  'src/sources/pages/item-number.ts': {
    splitNumber: itemNumber.splitNumber,
    underNumber: (text) => itemNumber.underNumber(text, text),
  },
  'src/sources/pages/title-days.ts': {
    dayInTitle: titleDays.dayInTitle,
    dayBefore: (text) => titleDays.dayBefore(text, '2026-03-04'),
    withoutDays: titleDays.withoutDays,
    withoutAnyDay: titleDays.withoutAnyDay,
  },
  'src/sources/pages/join-rows.ts': {
    dayOfPaper: (title) => joinRows.dayOfPaper({ title, day: '2026-03-04' }),
    joinPapers: (text) =>
      joinRows.joinPapers(
        [text, `Spanish ${text}`].map((title, id) => {
          return { id, day: '2026-01-01', title, agenda: null, packet: null, minutes: null };
        }),
      ),
  },
};

/**
 * Modules with a regular expression and a function, to which no text from outside comes, or none that an expression
 * reads at length.
 */
export const NOT_FED: Readonly<Record<string, string>> = {
  'commands/handle.ts': 'reads names of event types',
  'commands/records/record-decider.ts': 'reads the reason of a removal',
  ...Object.fromEntries(
    [
      'agenda-items',
      'agenda-words',
      'bare-numbers',
      'columns',
      'descriptions',
      'heads',
      'labels',
      'layout',
      'leads',
      'letter-spacing',
      'meeting-body',
      'meeting-days',
      'meeting-facts',
      'page-columns',
      'paper-kind',
      'references',
      'running-lines',
      'text-line',
      'titles',
    ].map((name) => [`domain/agenda-text/${name}.ts`, 'is fed through readAgenda']),
  ),
  ...Object.fromEntries(
    ['lands', 'names', 'streets'].map((name) => [
      `domain/agenda-facts/${name}.ts`,
      'is fed through partiesOf and placesOf',
    ]),
  ),
  'domain/cursor.ts': 'a cursor has at most 4,096 characters, and one character class reads it',
  ...Object.fromEntries(
    ['contradictions', 'motions', 'read-acts', 'resolve', 'sentences', 'tokens'].map((name) => [
      `domain/decisions/${name}.ts`,
      'is fed through readDecision',
    ]),
  ),
  'domain/erasure/erase-from-event.ts': 'reads JSON pointers of operators',
  'domain/events/report-events.ts': 'reads statuses',
  'domain/events/source-events.ts': 'reads names of clients of at most 100 characters',
  'domain/iso-time.ts': 'reads numbers',
  'domain/payments/payment.ts': 'reads signed payments through a schema',
  'domain/public-network.ts': 'reads addresses of hosts',
  'domain/records/fields.ts': 'makes schemas',
  'domain/text/patterns.ts': 'makes patterns of the program',
  'plumbing/retry.ts': 'reads codes of errors',
  'projections/record-history/projection.ts': 'reads rows of its own tables',
  'projections/tables.ts': 'reads names of tables',
  'queries/search/search-agenda.ts': 'reads what searchQuery makes',
  'queries/search/composed-query.ts': 'reads words in the form of the database',
  'queries/search/search-units.ts': 'reads words in the form of the database',
  'src/edge/pages/addresses.ts': 'reads headings of guides',
  'src/edge/pages/guide-files.ts': 'reads guides of the program',
  'src/edge/pages/guide-pages.ts': 'reads guides of the program',
  'src/edge/pages/search-page.ts': 'reads parameters of an address, which has a limit',
  'src/processors/reactors/reports/coverage-area.ts': 'reads hosts, and slugs of at most 64 characters',
  'src/processors/projector/compare-with-live.ts': 'reads rows of read models',
  'src/sources/civicclerk/reader.ts': 'reads names of files',
  'src/sources/civicplus-archive/reader.ts': 'reads titles of at most 300 characters and links',
  'src/sources/civicplus/html-agenda.ts': 'reads classes and numbers of a page',
  'src/sources/civicplus/source.ts': 'reads names of hosts',
  'src/sources/swagit/source.ts': 'reads names of tenants',
  'src/sources/swagit/reader.ts': 'reads titles of at most 300 characters',
  'src/sources/swagit/video-page.ts': 'reads links of a page',
  'src/sources/swagit/view-list.ts': 'reads links of a page and texts of at most 200 characters',
  'src/sources/civicplus/agenda-list.ts': 'reads headings and links of a page',
  'src/sources/pages/parse-page.ts': 'reads names of classes',
  'src/sources/agendas/bodies.ts': 'reads names of bodies, and slugs of at most 64 characters',
  'src/sources/agendas/twins.ts': 'reads titles of at most 500 characters and texts of at most 2,000',
  'src/sources/registry/registry.ts': 'reads rows of the registry through a schema',
  'src/sources/registry/registry-scope.ts': 'reads slugs of operators',
  'src/sources/opencities/reader.ts': 'reads titles of pages',
  'src/sources/techshare/source.ts': 'reads the name of a portal',
};
