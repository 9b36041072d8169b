"""Languages of made pages: words that nobody wrote in the letters and lengths of real ones."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """What texts of a language are made of; `syllables` make words where there are no `words`."""

    code: str
    fonts: str
    words: tuple[str, ...] = ()
    syllables: tuple[str, ...] = ()
    stop: str = "."
    space: str = " "
    right_to_left: bool = False
    nouns_capital: bool = False
    chapter: str = "Chapter"
    figure: str = "Figure"
    table: str = "Table"
    contents: str = "Contents"
    references: str = "References"
    abstract: str = "Abstract"


ENGLISH = tuple(
    """the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which
one you were all her she there would their we him been has when who will no more if out so up said what its
about than into them can only other time new some could these two may first then do any like my now over such
our man me even most made after also did many before must years harbour river budget school market forest engine
letter winter garden council paper bridge village sample survey island ferry library museum station meadow
contract voyage orchard teacher lantern valley region income salary method report figure measure district
factory hospital climate energy transport housing trade evidence analysis variable treatment patient network
protein surface temperature parameter estimate function gradient committee regulation applicant judgment
convention procedure obligation statement revenue expenditure quarter forecast customer supplier delivery
warranty installation maintenance operator device pressure valve carries follows records explains opens raises
compares lowers crosses supports delays replaces improves describes keeps divides joins counts measures covers
significant relative annual northern public early common local steady narrow rural heavy average total net
monthly modern coastal previous available subsequent considerable independent representative approximately
respectively""".split()
)
GERMAN = tuple(
    """der die das und in zu den mit von für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach
wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man
sein wurde sei Jahr Haushalt Verwaltung Gemeinde Untersuchung Ergebnis Verfahren Maßnahme Grundlage Bericht
Tabelle Abbildung Vertrag Leistung Rechnung Kunde Frist Genehmigung Straße Brücke Fähre Schule Werkstatt Anlage
Prüfung Wartung Betrieb""".split()
)
FRENCH = tuple(
    """le la les de des du et à un une que en est pour dans ce il qui ne sur se pas plus par au avec tout faire son
mettre autre on mais nous comme ou si leur y dire elle devoir avant deux même prendre aussi celui donner bien où
fois vous encore nouveau aller cela entre premier déjà grand année marché rapport école rivière région méthode
résultat évaluation procédure règlement général""".split()
)
SPANISH = tuple(
    """el la de que y en un ser se no haber por con su para como estar tener le lo todo pero más hacer o poder decir
este ir otro ese si me ya ver porque dar cuando él muy sin vez mucho saber qué sobre mi alguno mismo también
hasta año dos querer entre así primero desde grande eso ni nos llegar pasar tiempo región método resultado
evaluación corte derecho artículo párrafo señor""".split()
)
RUSSIAN = tuple(
    """и в не на что с по это как но за от к из у для бы мы так его же вы то год время отчёт город школа река рынок
метод результат таблица рисунок глава раздел договор оценка область система работа условие данные значение
общество""".split()
)
GREEK = tuple(
    """και το να του η της με που την από για τα είναι των σε ο οι στο θα τη στην τον τους δεν τις ένα μια ότι ή στον
κατά αυτό έκθεση μέθοδος πίνακας σχήμα κεφάλαιο περιοχή αποτέλεσμα""".split()
)
ARABIC = tuple(
    """من إلى على في هذا التي كان عن مع كل بعد قبل النهر المدينة السوق المدرسة التقرير الطريقة النتيجة العام الجدول
الشكل الفصل""".split()
)
HEBREW = tuple(
    "של את על לא הוא זה עם כי גם או אל היה יש שנה עיר נהר שוק דוח שיטה תוצאה טבלה איור פרק מועצה גשר".split()
)
HAN = tuple(
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经"
)
KANA = tuple(
    "のにはをたがでてとしれさある いるもするからなことしてますこの日本年月東京大学研究結果方法図表第章報告"
)
HANGUL = tuple(
    "이 그 저 것 수 등 및 에서 으로 하는 있다 한다 되었다 연구 결과 방법 지역 시장 학교 보고서 표 그림 제 장 년 월".split()
)

LATIN_SANS = "'Liberation Sans', 'DejaVu Sans', Carlito, Lato, Roboto, sans-serif"
LANGUAGES = (
    Language("en", LATIN_SANS, ENGLISH),
    Language(
        "de",
        LATIN_SANS,
        GERMAN,
        nouns_capital=True,
        chapter="Kapitel",
        figure="Abbildung",
        table="Tabelle",
        contents="Inhalt",
        references="Literatur",
        abstract="Zusammenfassung",
    ),
    Language(
        "fr",
        LATIN_SANS,
        FRENCH,
        chapter="Chapitre",
        table="Tableau",
        contents="Sommaire",
        references="Bibliographie",
        abstract="Résumé",
    ),
    Language(
        "es",
        LATIN_SANS,
        SPANISH,
        chapter="Capítulo",
        figure="Figura",
        table="Tabla",
        contents="Índice",
        references="Referencias",
        abstract="Resumen",
    ),
    Language(
        "ru",
        "'DejaVu Serif', 'Liberation Serif'",
        RUSSIAN,
        chapter="Глава",
        figure="Рисунок",
        table="Таблица",
        contents="Содержание",
        references="Литература",
        abstract="Аннотация",
    ),
    Language(
        "el",
        "'DejaVu Sans', 'Liberation Serif'",
        GREEK,
        chapter="Κεφάλαιο",
        figure="Σχήμα",
        table="Πίνακας",
        contents="Περιεχόμενα",
        references="Βιβλιογραφία",
        abstract="Περίληψη",
    ),
    Language(
        "ar",
        "'DejaVu Sans', Amiri",
        ARABIC,
        right_to_left=True,
        chapter="الفصل",
        figure="الشكل",
        table="الجدول",
        contents="المحتويات",
        references="المراجع",
        abstract="الملخص",
    ),
    Language(
        "he",
        "'DejaVu Sans'",
        HEBREW,
        right_to_left=True,
        chapter="פרק",
        figure="איור",
        table="טבלה",
        contents="תוכן",
        references="מקורות",
        abstract="תקציר",
    ),
    Language(
        "zh",
        "'Noto Sans CJK SC', 'WenQuanYi Zen Hei', 'Droid Sans Fallback'",
        (),
        HAN,
        stop="。",
        space="",
        chapter="第",
        figure="图",
        table="表",
        contents="目录",
        references="参考文献",
        abstract="摘要",
    ),
    Language(
        "ja",
        "'Noto Sans CJK JP', 'WenQuanYi Zen Hei', 'Droid Sans Fallback'",
        (),
        KANA,
        stop="。",
        space="",
        chapter="第",
        figure="図",
        table="表",
        contents="目次",
        references="参考文献",
        abstract="要旨",
    ),
    Language(
        "ko",
        "'Noto Sans CJK KR', 'WenQuanYi Zen Hei', 'Droid Sans Fallback'",
        HANGUL,
        chapter="제",
        figure="그림",
        table="표",
        contents="차례",
        references="참고문헌",
        abstract="초록",
    ),
)
# Most documents that are read are in English and other Latin languages.
WEIGHTS = (50, 10, 6, 6, 5, 2, 4, 3, 8, 4, 2)
