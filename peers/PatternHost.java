import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.cep.nfa.NFA;
import org.apache.flink.cep.nfa.NFAState;
import org.apache.flink.cep.nfa.aftermatch.AfterMatchSkipStrategy;
import org.apache.flink.cep.nfa.compiler.NFACompiler;
import org.apache.flink.cep.nfa.sharedbuffer.SharedBuffer;
import org.apache.flink.cep.nfa.sharedbuffer.SharedBufferAccessor;
import org.apache.flink.cep.pattern.MalformedPatternException;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.pattern.conditions.IterativeCondition;
import org.apache.flink.cep.time.TimerService;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/**
 * FlinkCEP behind the adapter protocol: JSON Lines on stdin and stdout.
 *
 * An event is the number of an instant; what it is to each element of a pattern comes with the
 * case. Patterns are compiled and run as Flink's own operator does it, but in memory and without a
 * cluster. Written for Janino as well: raw types, no lambdas.
 */
public class PatternHost {
    static final ObjectMapper JSON = new ObjectMapper();
    static final PrintStream ANSWERS = new PrintStream(new FileOutputStream(FileDescriptor.out), false);

    public static void main(String[] arguments) throws Exception {
        System.setOut(System.err);  // whatever Flink prints is no answer
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        String line = lines.readLine();
        while (line != null) {
            Map message = (Map) JSON.readValue(line, Map.class);
            Map answer = "hello".equals(message.get("type")) ? greeting(arguments[0]) : answer(message);
            ANSWERS.write((JSON.writeValueAsString(answer) + "\n").getBytes("UTF-8"));
            ANSWERS.flush();
            line = lines.readLine();
        }
    }

    static Map greeting(String version) {
        Map answer = new HashMap();
        answer.put("type", "hello");
        answer.put("name", "flink");
        answer.put("version", version);
        answer.put("languages", Collections.singletonList("spaseq"));
        answer.put("level", "pair");
        return answer;
    }

    static Map answer(Map message) {
        Map answer = new HashMap();
        answer.put("id", message.get("id"));
        try {
            List results = new ArrayList();
            List patterns = (List) message.get("patterns");
            for (int k = 0; k < patterns.size(); k++) {
                Map asked = (Map) patterns.get(k);
                List strategies = (List) asked.get("skip");
                for (int n = 0; n < strategies.size(); n++) {
                    List strategy = (List) strategies.get(n);
                    results.add(matches(asked, strategy, (List) message.get("conditions")));
                }
            }
            answer.put("type", "result");
            answer.put("results", results);
        } catch (MalformedPatternException refusal) {
            answer.put("type", "unsupported");
            answer.put("reason", String.valueOf(refusal.getMessage()));
        } catch (Throwable failure) {
            Throwable cause = failure;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            boolean refused = cause instanceof Refusal;
            answer.put("type", refused ? "unsupported" : "error");
            answer.put(refused ? "reason" : "message", refused ? cause.getMessage() : cause.toString());
        }
        return answer;
    }

    /** The matches of a pattern over its instants: for each element its events. */
    static List matches(Map asked, List strategy, List conditions) throws Exception {
        Elements elements = new Elements((List) asked.get("elements"), conditions);
        Element.current = elements;
        Matcher matcher = new Matcher(PatternMaker.pattern(asked, strategy, elements));
        List times = (List) asked.get("times");
        for (int instant = 0; instant < times.size(); instant++) {
            matcher.push(instant, ((Number) times.get(instant)).longValue());
        }
        matcher.close();
        List found = new ArrayList();
        for (int k = 0; k < matcher.matches.size(); k++) {
            Map match = (Map) matcher.matches.get(k);
            List taken = new ArrayList();
            for (int place = 0; place < elements.size(); place++) {
                Object events = match.get(elements.name(place));
                taken.add(events == null ? new ArrayList() : events);
            }
            found.add(taken);
        }
        return found;
    }

    static int number(Map object, String name) {
        return ((Number) object.get(name)).intValue();
    }
}

/** What a case asks and an event at a time cannot say. */
class Refusal extends RuntimeException {
    Refusal(String reason) {
        super(reason);
    }
}

/** A pattern in the words of the Pattern API. */
class PatternMaker {
    static Pattern pattern(Map asked, List strategy, Elements elements) {
        Pattern made = null;
        for (int place = 0; place < elements.size(); place++) {
            Map element = elements.element(place);
            made = place == 0
                ? Pattern.begin(elements.name(0), skipping(strategy))
                : added(made, (String) element.get("by"), elements.name(place));
            made = made.where(new Element(place, false));
            made = quantified(made, element, place);
            if (place + 1 == PatternHost.number(asked, "grouped")) {
                made = Pattern.begin(made, skipping(strategy));
            }
        }
        made = made.within(Duration.ofMillis(((Number) asked.get("within")).longValue()));
        return made;
    }

    /** What a match forbids others: the strategy's name, and that of an element where it has one. */
    static AfterMatchSkipStrategy skipping(List asked) {
        String strategy = (String) asked.get(0);
        if (strategy.equals("skipToNext")) {
            return AfterMatchSkipStrategy.skipToNext();
        }
        if (strategy.equals("skipPastLastEvent")) {
            return AfterMatchSkipStrategy.skipPastLastEvent();
        }
        if (strategy.equals("skipToFirst")) {
            return AfterMatchSkipStrategy.skipToFirst((String) asked.get(1));
        }
        if (strategy.equals("skipToLast")) {
            return AfterMatchSkipStrategy.skipToLast((String) asked.get(1));
        }
        return AfterMatchSkipStrategy.noSkip();
    }

    static Pattern added(Pattern before, String by, String name) {
        if (by.equals("next")) {
            return before.next(name);
        }
        if (by.equals("followedBy")) {
            return before.followedBy(name);
        }
        if (by.equals("followedByAny")) {
            return before.followedByAny(name);
        }
        if (by.equals("notNext")) {
            return before.notNext(name);
        }
        if (by.equals("notFollowedBy")) {
            return before.notFollowedBy(name);
        }
        throw new IllegalArgumentException(by);
    }

    static Pattern quantified(Pattern pattern, Map element, int place) {
        Pattern made = pattern;
        if (element.containsKey("times")) {
            made = made.times(PatternHost.number(element, "times"));
        }
        if (element.containsKey("most")) {
            made = made.times(1, PatternHost.number(element, "most"));
        }
        if (element.containsKey("oneOrMore")) {
            made = made.oneOrMore();
        }
        if (element.containsKey("consecutive")) {
            made = made.consecutive();
        }
        if (element.containsKey("allowCombinations")) {
            made = made.allowCombinations();
        }
        if (element.containsKey("greedy")) {
            made = made.greedy();
        }
        if (element.containsKey("until")) {  // until what is no further iteration
            made = made.until(new Element(place, true));
        }
        if (element.containsKey("optional")) {
            made = made.optional();
        }
        return made;
    }
}

/** An element's condition, or that it does not hold; reaches its data by the element's place. */
class Element extends IterativeCondition {
    static Elements current;

    private final int place;
    private final boolean fails;

    Element(int place, boolean fails) {
        this.place = place;
        this.fails = fails;
    }

    public boolean filter(Object event, IterativeCondition.Context context) throws Exception {
        return current.holds(place, (Integer) event, context) != fails;
    }
}

/** What each instant is to each element, and how it is joined with the events before. */
class Elements {
    private final List elements;
    private final List conditions;

    Elements(List elements, List conditions) {
        this.elements = elements;
        this.conditions = conditions;
    }

    int size() {
        return elements.size();
    }

    Map element(int place) {
        return (Map) elements.get(place);
    }

    String name(int place) {
        return (String) element(place).get("name");
    }

    /** Whether the event, as this element, is compatible with the events taken before. */
    boolean holds(int place, Integer instant, IterativeCondition.Context context) throws Exception {
        boolean first = true;
        List rows = new ArrayList();
        rows.add(new HashMap());
        for (int earlier = 0; earlier <= place; earlier++) {
            if (((String) element(earlier).get("by")).startsWith("not")) {
                continue;
            }
            Iterator taken = context.getEventsForPattern(name(earlier)).iterator();
            while (taken.hasNext()) {
                rows = joined(rows, element(earlier), (Integer) taken.next(), first);
                first = false;
            }
        }
        Map element = element(place);
        if (element.containsKey("unsure")) {
            return isRival(rows, element, instant);
        }
        return !joined(rows, element, instant, first).isEmpty();
    }

    /**
     * Whether the event is what must not be there.
     *
     * That is to be known now, and of all mappings: the variables that are unsure are those that
     * the event after it may bind.
     */
    private boolean isRival(List rows, Map element, Integer instant) {
        int dropped = 0;
        for (int r = 0; r < rows.size(); r++) {
            Map row = (Map) rows.get(r);
            if (!row.keySet().containsAll((List) element.get("unsure")) && mayAgree(row, element, instant)) {
                throw new Refusal("absence that looks at what comes after it");
            }
            dropped += joined(Collections.singletonList(row), element, instant, false).isEmpty() ? 0 : 1;
        }
        if (dropped > 0 && dropped < rows.size()) {
            throw new Refusal("absence that drops one mapping of several");
        }
        return dropped > 0;
    }

    /** Whether the mapping agrees with one that the event has as this element, whatever is owed. */
    private static boolean mayAgree(Map row, Map element, Integer instant) {
        List alternatives = (List) ((Map) element.get("at")).get(instant.toString());
        for (int a = 0; alternatives != null && a < alternatives.size(); a++) {
            List own = (List) ((Map) alternatives.get(a)).get("rows");
            for (int n = 0; n < own.size(); n++) {
                if (merged(row, (Map) own.get(n)) != null) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The mappings of the past with those that the event has as this element. */
    private List joined(List rows, Map element, Integer instant, boolean first) {
        Map contents = (Map) element.get(first && element.containsKey("first") ? "first" : "at");
        List alternatives = (List) contents.get(instant.toString());
        List found = new ArrayList();
        for (int a = 0; alternatives != null && a < alternatives.size(); a++) {
            List further = joined(rows, element, (Map) alternatives.get(a));
            if (!found.isEmpty() && !further.isEmpty() && element.containsKey("decides")) {
                throw new Refusal("an event that is several things at once to one element");
            }
            found.addAll(further);
        }
        return found;
    }

    private List joined(List rows, Map element, Map alternative) {
        List found = new ArrayList();
        List own = (List) alternative.get("rows");
        for (int r = 0; r < rows.size(); r++) {
            Map past = new HashMap((Map) rows.get(r));
            past.keySet().removeAll((List) element.get("local"));
            for (int n = 0; n < own.size(); n++) {
                Map both = merged(past, (Map) own.get(n));
                if (both != null && satisfied(both, (List) alternative.get("owed"))) {
                    found.add(both);
                }
            }
        }
        return found;
    }

    /** Both mappings together, or null where they do not agree. */
    private static Map merged(Map past, Map row) {
        Map both = new HashMap(past);
        Iterator names = row.keySet().iterator();
        while (names.hasNext()) {
            Object name = names.next();
            Object before = both.put(name, row.get(name));
            if (before != null && !before.equals(row.get(name))) {
                return null;
            }
        }
        return both;
    }

    /** Whether conditions hold; each is given as its variables and the values of which it holds. */
    private boolean satisfied(Map row, List owed) {
        for (int k = 0; k < owed.size(); k++) {
            Map condition = (Map) conditions.get(((Number) owed.get(k)).intValue());
            List names = (List) condition.get("variables");
            StringBuilder values = new StringBuilder();
            for (int n = 0; n < names.size(); n++) {
                Object term = row.get(names.get(n));
                values.append(n == 0 ? "" : " ").append(term == null ? "-" : term.toString());
            }
            if (!((List) condition.get("holds")).contains(values.toString())) {
                return false;
            }
        }
        return true;
    }
}

/** A pattern's automaton with its buffer and state in memory, driven as Flink's CepOperator does. */
class Matcher implements TimerService {
    final List matches = new ArrayList();
    private final NFA nfa;
    private final NFAState state;
    private final SharedBuffer buffer;
    private final AfterMatchSkipStrategy skip;

    Matcher(Pattern pattern) throws Exception {
        nfa = NFACompiler.compileFactory(pattern, false).createNFA();
        state = nfa.createInitialNFAState();
        skip = pattern.getAfterMatchSkipStrategy();
        buffer = new SharedBuffer(Memory.store(), IntSerializer.INSTANCE);
    }

    public long currentProcessingTime() {
        return 0L;
    }

    void push(int event, long time) throws Exception {
        advance(time);
        SharedBufferAccessor accessor = buffer.getAccessor();
        keep(nfa.process(accessor, state, Integer.valueOf(event), time, skip, this));
        accessor.close();
    }

    void close() throws Exception {
        advance(Long.MAX_VALUE);
        buffer.releaseCacheStatisticsTimer();
    }

    private void advance(long time) throws Exception {
        SharedBufferAccessor accessor = buffer.getAccessor();
        keep((Collection) nfa.advanceTime(accessor, state, time, skip).f0);
        accessor.close();
    }

    private void keep(Collection found) {
        matches.addAll(found);
    }
}

/** A store of state in memory: what the buffer asks for by name. */
class Memory implements InvocationHandler {
    static KeyedStateStore store() {
        ClassLoader loader = KeyedStateStore.class.getClassLoader();
        return (KeyedStateStore) Proxy.newProxyInstance(loader, new Class[] {KeyedStateStore.class}, new Memory());
    }

    public Object invoke(Object proxy, Method method, Object[] arguments) {
        if (method.getReturnType() == MapState.class) {
            return new MapInMemory();
        }
        if (method.getReturnType() == ValueState.class) {
            return new ValueInMemory();
        }
        throw new UnsupportedOperationException(method.toString());
    }
}

class MapInMemory implements MapState {
    private final Map kept = new HashMap();

    public Object get(Object key) {
        return kept.get(key);
    }

    public void put(Object key, Object value) {
        kept.put(key, value);
    }

    public void putAll(Map others) {
        kept.putAll(others);
    }

    public void remove(Object key) {
        kept.remove(key);
    }

    public boolean contains(Object key) {
        return kept.containsKey(key);
    }

    public Iterable entries() {
        return kept.entrySet();
    }

    public Iterable keys() {
        return kept.keySet();
    }

    public Iterable values() {
        return kept.values();
    }

    public Iterator iterator() {
        return kept.entrySet().iterator();
    }

    public boolean isEmpty() {
        return kept.isEmpty();
    }

    public void clear() {
        kept.clear();
    }
}

class ValueInMemory implements ValueState {
    private Object kept;

    public Object value() {
        return kept;
    }

    public void update(Object value) {
        kept = value;
    }

    public void clear() {
        kept = null;
    }
}
