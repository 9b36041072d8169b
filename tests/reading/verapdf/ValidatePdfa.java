import java.io.FileInputStream;
import java.io.InputStream;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.validation.profiles.Profiles;
import org.verapdf.pdfa.validation.profiles.Rule;
import org.verapdf.pdfa.validation.profiles.ValidationProfile;
import org.verapdf.pdfa.validation.profiles.Variable;
import org.w3c.dom.Element;

/** Checks files against the rules of PDF/A-2b with veraPDF, and prints what each one breaks. */
public class ValidatePdfa {
    private static final PDFAFlavour FLAVOUR = PDFAFlavour.PDFA_2_B;

    public static void main(String[] files) throws Exception {
        VeraGreenfieldFoundryProvider.initialise();
        ValidationProfile profile = readProfile();
        for (String file : files) {
            validate(file, profile);
        }
    }

    private static void validate(String file, ValidationProfile profile) throws Exception {
        var foundry = Foundries.defaultInstance();
        try (var bytes = new FileInputStream(file);
                var parser = foundry.createParser(bytes, FLAVOUR);
                var validator = foundry.createValidator(profile, false)) {
            var result = validator.validate(parser);
            System.out.println((result.isCompliant() ? "compliant " : "broken ") + result.getTotalAssertions());
            for (TestAssertion assertion : result.getTestAssertions()) {
                if (assertion.getStatus() == TestAssertion.Status.FAILED) {
                    var id = assertion.getRuleId();
                    System.out.println(id.getClause() + "-" + id.getTestNumber() + ": " + assertion.getMessage());
                }
            }
        }
    }

    /** veraPDF reads its profiles with JAXB, which Java no longer has: the same by DOM. */
    private static ValidationProfile readProfile() throws Exception {
        Element root;
        try (InputStream xml = Profiles.class.getResourceAsStream("/org/verapdf/pdfa/validation/PDFA-2B.xml")) {
            root = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(xml).getDocumentElement();
        }
        Set<Rule> rules = new HashSet<>();
        for (Element rule : all(root, "rule")) {
            rules.add(readRule(rule));
        }
        Set<Variable> variables = new HashSet<>();
        for (Element variable : all(root, "variable")) {
            variables.add(Profiles.variableFromValues(variable.getAttribute("name"), variable.getAttribute("object"),
                    text(variable, "defaultValue"), text(variable, "value")));
        }
        var details = Profiles.profileDetailsFromValues("PDF/A-2b", "", "", new Date());
        return Profiles.profileFromValues(FLAVOUR, details, "", rules, variables);
    }

    private static Rule readRule(Element rule) {
        Element id = all(rule, "id").get(0);
        return Profiles.ruleFromValues(
                Profiles.ruleIdFromValues(FLAVOUR.getPart(), id.getAttribute("clause"),
                        Integer.parseInt(id.getAttribute("testNumber"))),
                rule.getAttribute("object"), Boolean.parseBoolean(rule.getAttribute("deferred")), "",
                text(rule, "description"), text(rule, "test"),
                Profiles.errorFromValues(text(rule, "message"), List.of()), List.of());
    }

    private static List<Element> all(Element within, String name) {
        var found = within.getElementsByTagName(name);
        return IntStream.range(0, found.getLength()).mapToObj(i -> (Element) found.item(i)).toList();
    }

    private static String text(Element within, String name) {
        return all(within, name).get(0).getTextContent();
    }
}
