"""Whether the encoding reaches the best network: the rule, the table, and what an epoch costs on a CPU."""

from research.report.peer_verdicts import Standing, cpu_cost_table, verdict, verdict_table


def standing(value, error=0.0):
    return Standing("gin", value, error, is_short=False)


def test_accuracies_within_two_points_are_equal():
    assert verdict(standing(73.0), standing(75.0), measure="accuracy") == "yes"
    assert verdict(standing(72.9), standing(75.0), measure="accuracy") == "no"


def test_the_order_is_not_clear_within_two_standard_errors_of_the_difference():
    assert verdict(standing(86.0, 3.0), standing(95.0, 4.0), measure="accuracy") == "not clear"  # 9 < 2 * 5
    assert verdict(standing(84.0, 3.0), standing(95.0, 4.0), measure="accuracy") == "no"


def test_errors_are_larger_not_clear_or_reached():
    assert verdict(standing(0.01), standing(0.01), measure="squared error") == "yes"
    assert verdict(standing(0.02, 0.003), standing(0.01, 0.004), measure="squared error") == "not clear"
    assert (
        verdict(standing(0.021, 0.003), standing(0.01, 0.004), measure="squared error")
        == "no, 2.1 times its error"
    )
    assert verdict(standing(1.0), standing(0.0), measure="pairs left equal") == "no"


def line(method, value, **fields):
    shared = {"set": "mutag", "epochs": 100, "planned_epochs": 100}
    return shared | {"method": method, "validated": value, "validated_spread": 1.0} | fields


def test_a_line_names_the_best_columns_the_median_and_the_best_network():
    lines = [
        line("gin", 85.0),
        line("gin+ego", 86.0),
        line("gin+rwse", 84.0),
        line("gsn-e", 87.5),
        line("nested", 88.0),
        line("id-gnn", 90.0, epochs=50),
        line("de-gnn", 82.0),
    ]
    costs = [{"set": "mutag", "method": m, "milliseconds": t} for m, t in (("gin", 10.0), ("id-gnn", 95.0))]

    ((row,),) = (table.rows for table in verdict_table(lines, costs))

    assert row == [
        "mutag",
        "accuracy",
        "85.0",
        "86.0",
        "GSN (edges) 87.5",
        "88.0",
        "ID-GNN 90.0†",
        "no",
        "9.5",
    ]


def test_equally_good_networks_are_counted():
    equal = {"set": "sr25"}
    lines = [
        equal | {"method": method, "score": score}
        for method, score in (
            ("gin", 105),
            ("gin+ego", 105),
            ("gin+rwse", 105),
            ("ds-ed", 0),
            ("dss-ed", 0),
            ("ppgn", 105),
        )
    ]

    ((row,),) = (table.rows for table in verdict_table(lines, []))

    assert row[-3:] == ["DS (ED) 0 and 1 other", "no", "–"]


def test_without_the_encoding_there_is_no_verdict():
    assert verdict_table([line("gin", 85.0), line("nested", 88.0)], []) == []


def test_cost_on_a_cpu_is_relative_to_gin_per_set():
    costs = [
        {"set": name, "method": method, "milliseconds": time}
        for name, method, time in (
            ("mutag", "gin", 500.0),
            ("mutag", "nested", 4000.0),
            ("ptc", "nested", 1.0),
        )
    ]

    (table,) = cpu_cost_table(costs)

    assert table.header == ["method", "mutag", "ptc"]
    assert table.rows == [["GIN, seconds", "0.50", "–"], ["GIN", "1.0", "–"], ["Nested GNN", "8.0", "–"]]
    assert cpu_cost_table([]) == []
