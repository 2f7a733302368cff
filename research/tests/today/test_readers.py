"""Reading the current benchmarks from small files written here."""

import gzip

from research.today.readers import read_twitch


def write_twitch(folder, users, edges):
    """Write a network of Twitch users as its two files."""
    folder.mkdir(parents=True)
    with gzip.open(folder / "target.csv.gz", "wt") as stream:
        stream.write("id,days,mature,views,partner,new_id\n" + "".join(f"{row}\n" for row in users))
    with gzip.open(folder / "edges.csv.gz", "wt") as stream:
        stream.write("from,to\n" + "".join(f"{row}\n" for row in edges))


def test_a_twitch_user_listed_twice_is_one_node(tmp_path, monkeypatch):
    users = [
        "90,5,True,362432,True,1",
        "70,5,False,8,True,0",
        "90,5,True,362431,True,1",
        "80,5,False,9,True,2",
    ]
    write_twitch(tmp_path / "twitch" / "FR", users, ["0,1", "1,2"])
    monkeypatch.setenv("EGONET_DATA", str(tmp_path))

    graph, mature = read_twitch("FR")

    assert graph.num_nodes == 3
    assert mature.tolist() == [0, 1, 0]
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
